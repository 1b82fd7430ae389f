"""What the end-to-end tests share: the program, a configuration, the simulated host, a real sshd."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from ssh_server import SshServer  # noqa: E402
from stdio_server import StdioServer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
NPUPROF = pathlib.Path(os.environ["NPUPROF_BIN"])
TOOLS = pathlib.Path(os.environ["NPUPROF_E2E_TOOLS"])
SIMULATED_HOST = ROOT / "examples" / "simulated_host"
REAL_OUTPUT = ROOT.parent / "shared" / "data" / "cann"
SYSTEM_PYTHON = "/usr/bin/python3"


class Result:
    """How one run of the program ended."""

    def __init__(self, done: subprocess.CompletedProcess):
        self.status = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


@pytest.fixture
def home(tmp_path):
    """A home of the test's own, so that nothing of the user's is read or written."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home):
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "HOME": str(home)}


@pytest.fixture
def npuprof(environment):
    """Runs the program to its end."""

    def run(*arguments, stdin=b"", timeout=120, env=None, cwd=None) -> Result:
        return Result(
            subprocess.run(
                [NPUPROF, *map(str, arguments)],
                input=stdin,
                capture_output=True,
                timeout=timeout,
                env={**environment, **(env or {})},
                cwd=cwd,
            )
        )

    return run


@pytest.fixture
def workspace(tmp_path):
    """The example's workspace, as a user has it on the target."""
    folder = tmp_path / "workspace"
    shutil.copytree(SIMULATED_HOST / "workspace", folder)
    folder.chmod(0o755)
    return folder


def target(name, workspace, **fields):
    """One [targets.NAME] table, of the simulated host unless `fields` say otherwise."""
    settings = {
        "kind": "local",
        "workspace": str(workspace),
        "set_env": [str(SIMULATED_HOST / "set_env.sh")],
        "path_prepend": [str(SIMULATED_HOST / "bin")],
        "python": SYSTEM_PYTHON,
        "lease_dir": str(pathlib.Path(workspace).parent / "leases"),
        **fields,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items() if value is not None]
    return "\n".join([f"[targets.{name}]", *lines, ""])


@pytest.fixture
def write_config(tmp_path):
    def write(*tables, head=""):
        file = tmp_path / "config.toml"
        server = f'[server]\ndata_dir = "{tmp_path / "data"}"\n'
        file.write_text("\n".join([head, *tables, server]))
        return file

    return write


@pytest.fixture
def local_config(write_config, workspace):
    """One target, `here`: the simulated host on this machine."""
    return write_config(target("here", workspace))


@pytest.fixture(scope="session")
def sshd(tmp_path_factory):
    """A real OpenSSH server on a free loopback port, with keys of its own."""
    server = SshServer.start(tmp_path_factory.mktemp("sshd"))
    yield server
    server.stop()


@pytest.fixture
def remote_config(write_config, workspace, sshd):
    """One target, `remote`: the simulated host behind a real sshd."""
    return write_config(target("remote", workspace, **sshd.target_fields()))


@pytest.fixture
def serve(environment, tmp_path):
    """Starts `npuprof serve`; every server that a test started is ended with it."""
    started = []

    def start(config, env=None) -> StdioServer:
        server = StdioServer(
            [NPUPROF, "serve", "--config", config], {**environment, **(env or {})}, tmp_path / "serve.stderr"
        )
        started.append(server)
        return server

    yield start
    for server in started:
        server.end()


@pytest.fixture
def real_output():
    if not REAL_OUTPUT.is_dir():
        pytest.skip(f"real CANN output is not here: {REAL_OUTPUT.name} of the shared data folder")
    return REAL_OUTPUT
