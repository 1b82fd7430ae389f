"""The parts of supervisor and runner that need no run."""

import ast
import dataclasses
import math
import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock

import simulated_run

import npuprof_log
import npuprof_outputs
import npuprof_processes
import npuprof_records
import npuprof_window


class Scratch(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="npuprof_test_")
        self.addCleanup(shutil.rmtree, self.directory)
        self.path = os.path.join(self.directory, "file")

    def read(self):
        with open(self.path, "rb") as file:
            return file.read()


class Language(unittest.TestCase):
    def test_all_that_is_sent_to_a_host_is_python_3_8_and_stdlib(self):
        for name in sorted(os.listdir(simulated_run.PYTHON_FILES)):
            if not name.endswith(".py"):
                continue
            with open(os.path.join(simulated_run.PYTHON_FILES, name)) as file:
                tree = ast.parse(file.read(), name, feature_version=(3, 8))
            for node in tree.body:  # what is imported at once; torch is imported where it is used
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) else []
                for module in names:
                    if not module.startswith("npuprof_"):
                        self.assertIn(module.partition(".")[0], sys.stdlib_module_names, name)


class Log(Scratch):
    def test_short_output_is_kept_whole(self):
        log = npuprof_log.BoundedLog(self.path, 4096)
        log.write(b"one\n")
        log.write(b"two\n")
        log.close()
        self.assertEqual(b"one\ntwo\n", self.read())

    def test_long_output_keeps_head_and_tail_and_counts_the_rest(self):
        log = npuprof_log.BoundedLog(self.path, 4096)
        lines = [b"line %06d\n" % number for number in range(10000)]
        for line in lines:
            log.write(line)
        log.close()
        whole, kept = b"".join(lines), self.read()
        self.assertTrue(whole.startswith(kept[:2048]) and whole.endswith(kept[-2048:]))
        self.assertIn(b"[... %d bytes left out ...]" % (len(whole) - 4096), kept)
        self.assertLess(len(kept), 4096 + 64)

    def test_last_lines_reach_back_into_the_head(self):
        log = npuprof_log.BoundedLog(self.path, 1024)
        log.write(b"a\nb\nc\n")
        self.assertEqual("b\nc", log.last_lines(2))
        log.close()


class Records(Scratch):
    def test_nothing_but_known_fields_of_known_types_passes(self):
        clean = npuprof_records.clean_report
        self.assertEqual({"kind": "step", "phase": "active", "ms": 1.5},
                         clean({"kind": "step", "phase": "active", "ms": 1.5, "format": 9, "seq": 1, "index": "x", "evil": 1}))
        for report in (None, [], "x", {"kind": "end"}, {"kind": "exit"}, {"kind": "stage", "stage": "done"},
                       {"kind": "step", "phase": "other"}, {"kind": "evidence", "state": "fetched"}):
            self.assertIsNone(clean(report), report)

    def test_a_status_is_never_half_written(self):
        npuprof_records.write_atomically(self.path, '{"a": 1}')
        self.assertEqual({"a": 1}, npuprof_records.read_json(self.path))
        self.assertEqual(["file"], os.listdir(self.directory))

    def test_the_count_of_events_goes_on_after_a_torn_line(self):
        with open(self.path, "w") as file:
            file.write('{"seq": 1}\n{"seq": 2}\n{"se')
        self.assertEqual(2, npuprof_records.last_seq(self.path))
        self.assertFalse(npuprof_records.ends_a_line(self.path))


class WarmUp(unittest.TestCase):
    def notes(self, **took):
        with unittest.mock.patch.object(npuprof_window.report, "note") as note:
            npuprof_window.judge_warm_up(took)
        return [call.args[1] for call in note.call_args_list]

    def test_steady_steps_are_warm(self):
        self.assertEqual([], self.notes(warmup=[(90.0, 3), (11.0, 0)], active=[(10.0, 0), (12.0, 0), (10.0, 0)]))

    def test_a_last_warm_up_step_slower_than_the_window_was_not_warm(self):
        self.assertIn("90.0", self.notes(warmup=[(95.0, 0), (90.0, 0)], active=[(10.0, 0)] * 3)[0])

    def test_compiling_late_was_not_warm(self):
        self.assertIn("2 graphs", self.notes(warmup=[(10.0, 1)], guard=[(10.0, 1)], active=[(10.0, 0)])[0])


class Processes(unittest.TestCase):
    def test_alive_means_the_same_process_and_no_zombie(self):
        me = npuprof_processes.identity(os.getpid())
        self.assertTrue(npuprof_processes.is_alive(me))
        self.assertFalse(npuprof_processes.is_alive(dict(me, start_ticks=me["start_ticks"] + 1)))
        self.assertFalse(npuprof_processes.is_alive(dict(me, boot_id="another boot")))
        self.assertFalse(npuprof_processes.is_alive({}))
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        zombie = npuprof_processes.identity(pid)
        self.assertFalse(npuprof_processes.is_alive(zombie))
        os.waitpid(pid, 0)


@dataclasses.dataclass
class Pipeline:
    images: list
    other: object = None


class Image:
    size, mode = (4, 2), "RGB"

    def getextrema(self):
        return ((0, 255), (3, 9), (0, 0))


class Outputs(unittest.TestCase):
    def test_images_in_a_dataclass_are_found(self):
        described, problems = npuprof_outputs.describe(Pipeline([Image(), Image()]))
        self.assertEqual([".images[0]", ".images[1]"], [entry["path"] for entry in described])
        self.assertEqual([4, 2], described[0]["shape"])
        self.assertEqual([], problems)

    def test_problems_are_named_with_their_place(self):
        _, problems = npuprof_outputs.describe({"loss": math.nan, "text": ""})
        self.assertEqual(["['loss'] has NaN in it", "['text'] is empty (shape [0])"], problems)

    def test_nothing_is_said_of_what_can_not_be_looked_at(self):
        self.assertEqual(([], []), npuprof_outputs.describe(None))
        self.assertEqual(([], []), npuprof_outputs.describe(object()))

    def test_a_structure_that_holds_itself_ends(self):
        loop = [1.0]
        loop.append(loop)
        self.assertEqual(1, len(npuprof_outputs.describe(loop)[0]))


if __name__ == "__main__":
    unittest.main()
