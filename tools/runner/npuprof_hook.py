"""The hook, inside the processes of an unchanged program: finds the method when its class is made, and sees its calls.

Installed by a sitecustomize on the module search path (npuprof_program), so that worker processes have it as well.
"""

import builtins
import functools
import importlib.abc
import importlib.util
import inspect
import json
import os
import sys
import types

import npuprof_report as report

MAIN = ("__main__", "__mp_main__")  # the program itself, also in spawned workers


def install(run_dir):
    with open(os.path.join(run_dir, "job.json")) as file:
        job = json.load(file)
    module, _, path = job["workload"]["hook"].partition(":")
    hook = Hook(job, run_dir, module, path)
    if module in MAIN:
        hook.watch_classes()
    else:
        sys.meta_path.insert(0, hook)


def mark(run_dir, name):
    """Leaves a mark in the run's directory; False where it was there."""
    try:
        os.close(os.open(os.path.join(run_dir, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        return True
    except OSError:
        return False


class Hook(importlib.abc.MetaPathFinder):
    """Puts the observer of calls in the method's place."""

    def __init__(self, job, run_dir, module, path):
        self.job = job
        self.run_dir = run_dir
        self.module = module
        self.owner, _, self.name = path.rpartition(".")
        self.session = None

    # A module that is imported: its loader is followed, then the class looked up.

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self.module:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.hook_into(module)

        spec.loader.exec_module = exec_module
        return spec

    def hook_into(self, module):
        owner = module
        for part in self.owner.split(".") if self.owner else []:
            owner = getattr(owner, part, None)
        if owner is None or not callable(getattr(owner, self.name, None)):
            known = sorted(name for name, value in vars(module).items() if inspect.isclass(value))
            report.error("HOOK_NOT_FOUND", "%s has no %s" % (self.module, ".".join(filter(None, (self.owner, self.name)))),
                         "Its classes: %s" % ", ".join(known[:40]))
            return
        self.put(owner)

    # The program itself: seen as its class statement runs.

    def watch_classes(self):
        build = builtins.__build_class__

        def build_class(function, name, *bases, **keywords):
            made = build(function, name, *bases, **keywords)
            if getattr(made, "__module__", None) in MAIN and getattr(made, "__qualname__", None) == self.owner:
                if callable(getattr(made, self.name, None)):
                    self.put(made)
                else:
                    report.error("HOOK_NOT_FOUND", "%s has no %s" % (self.owner, self.name))
            return made

        builtins.__build_class__ = build_class

    def put(self, owner):
        found = inspect.getattr_static(owner, self.name)
        function = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
        observed = observe(function, self.enter)
        if isinstance(found, (staticmethod, classmethod)):
            observed = type(found)(observed)
        setattr(owner, self.name, observed)
        mark(self.run_dir, "hook_found")
        report.note("HOOKED", "%s in process %d" % (self.job["workload"]["hook"], os.getpid()))

    def enter(self):
        """Called at each call: the session if this one is a step, else None."""
        if self.session is None or self.session.pid != os.getpid():
            from npuprof_session import Session
            self.session = Session(self.job, self.run_dir)
        return self.session if self.session.enter() else None


def observe(function, enter):
    """`function`, told apart by its kind, so that it is what it was for those who look (async, generator)."""
    if inspect.iscoroutinefunction(function):
        @functools.wraps(function)
        async def observed(*arguments, **keywords):
            return await Call(enter).awaited(function(*arguments, **keywords))
    elif inspect.isasyncgenfunction(function):
        @functools.wraps(function)
        async def observed(*arguments, **keywords):
            call = Call(enter)
            try:
                async for part in function(*arguments, **keywords):
                    call.value = part
                    yield part
            except BaseException as error:
                call.end(error)
                raise
            call.end()
    elif inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def observed(*arguments, **keywords):
            return (yield from Call(enter).parts(function(*arguments, **keywords)))
    else:
        @functools.wraps(function)
        def observed(*arguments, **keywords):
            call = Call(enter)
            try:
                call.value = function(*arguments, **keywords)
            except BaseException as error:
                call.end(error)
                raise
            if isinstance(call.value, types.GeneratorType):
                return call.parts(call.value)
            if inspect.iscoroutine(call.value):
                return call.awaited(call.value)
            call.end()
            return call.value
    return observed


class Call:
    """One call of the method, until its result is exhausted or awaited; a step of the session where it is the outermost."""

    def __init__(self, enter):
        self.session = enter()
        self.value = None

    def end(self, error=None):
        session, self.session = self.session, None
        if session is not None:
            session.leave(self.value, None if isinstance(error, GeneratorExit) else error)

    async def awaited(self, coroutine):
        try:
            self.value = await coroutine
        except BaseException as error:
            self.end(error)
            raise
        self.end()
        return self.value

    def parts(self, generator):
        """The generator's parts, with what its user sends or throws into it passed on."""
        try:
            part = next(generator)
            while True:
                self.value = part
                try:
                    sent = yield part
                except GeneratorExit:
                    generator.close()
                    raise
                except BaseException as error:
                    part = generator.throw(error)
                else:
                    part = next(generator) if sent is None else generator.send(sent)
        except StopIteration as end:
            self.end()
            return end.value
        except BaseException as error:
            self.end(error)
            raise
