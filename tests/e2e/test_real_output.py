"""Real CANN output: brought home from a real sshd byte for byte, and judged rightly where it lies."""

import hashlib
import json
import pathlib
import shutil

import pytest

from conftest import REAL_OUTPUT

# Counted apart, with Python's csv.reader and json.load.
LEVEL1_ROWS = {
    "ASCEND_PROFILER_OUTPUT/api_statistic.csv": 57,
    "ASCEND_PROFILER_OUTPUT/kernel_details.csv": 191,
    "ASCEND_PROFILER_OUTPUT/op_statistic.csv": 33,
    "ASCEND_PROFILER_OUTPUT/operator_details.csv": 859,
    "ASCEND_PROFILER_OUTPUT/operator_memory.csv": 184,
    "ASCEND_PROFILER_OUTPUT/step_trace_time.csv": 1,
    "ASCEND_PROFILER_OUTPUT/trace_view.json": 10112,
}


def digests(folder):
    folder = pathlib.Path(folder)
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


def fetch(npuprof, config, **arguments):
    return npuprof("call", "fetch_artifact", "--target", "remote", "--config", config, "--json", json.dumps(arguments))


def test_a_directory_that_is_there_already_comes_home_byte_for_byte(npuprof, remote_config, workspace, real_output):
    name = "msinsight-text-level1-rank0_ascend_pt"
    shutil.copytree(real_output / name, workspace / name)
    fetched = fetch(npuprof, remote_config, remote_dir=name)
    assert fetched.status == 0, fetched
    artifact = fetched.json["artifact"]
    assert artifact["state"] == "verified"
    assert digests(artifact["directory"]) == digests(real_output / name)
    rows = {file["path"]: file.get("rows") for file in artifact["files"]}
    for path, count in LEVEL1_ROWS.items():
        assert rows[path] == count, path


def test_every_real_folder_comes_home_unaltered(npuprof, remote_config, workspace, real_output):
    for folder in sorted(path for path in real_output.iterdir() if path.is_dir()):
        shutil.copytree(folder, workspace / folder.name)
        artifact = fetch(npuprof, remote_config, remote_dir=folder.name).json["artifact"]
        assert digests(artifact["directory"]) == digests(folder), folder.name


def test_a_directory_outside_the_workspace_is_refused(npuprof, remote_config, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for place in (str(outside), "../outside", "/etc"):
        answer = fetch(npuprof, remote_config, remote_dir=place)
        assert answer.status != 0, answer
        assert answer.json["error"]["code"] == "PATH_OUTSIDE_WORKSPACE", answer


def inspect(npuprof, folder):
    answer = npuprof("inspect", folder, "--json")
    assert answer.status in (0, 1), answer
    return answer.json


@pytest.mark.parametrize(
    "name", sorted(path.name for path in REAL_OUTPUT.iterdir() if path.is_dir()) if REAL_OUTPUT.is_dir() else []
)
def test_inspect_reads_every_real_folder(npuprof, name):
    seen = inspect(npuprof, REAL_OUTPUT / name)
    assert seen["files"], "nothing was seen"
    words = npuprof("inspect", REAL_OUTPUT / name)
    assert words.status in (0, 1)
    assert words.err == ""


def codes(seen):
    return {anomaly["code"] for anomaly in seen["anomalies"]}


def test_inspect_trusts_the_whole_level1_export(npuprof, real_output):
    seen = inspect(npuprof, real_output / "msinsight-text-level1-rank0_ascend_pt")
    assert not codes(seen) & {
        "MISSING_FILE", "EMPTY_TABLE", "TRUNCATED_TRACE", "COMPILE_IN_WINDOW", "WARMUP_NOT_STRIPPED", "STALE_OUTPUT",
    }, seen["anomalies"]
    rows = {file["path"]: file.get("rows") for file in seen["files"]}
    for path, count in LEVEL1_ROWS.items():
        assert rows[path] == count, path


def test_inspect_cannot_see_compiles_at_level0_and_says_so(npuprof, real_output):
    seen = inspect(npuprof, real_output / "msinsight-text-level0-rank0_ascend_pt")
    assert not codes(seen) & {"MISSING_FILE", "COMPILE_IN_WINDOW", "WARMUP_NOT_STRIPPED", "TRUNCATED_TRACE"}, seen["anomalies"]


def test_inspect_names_a_git_lfs_pointer_as_what_it_is(npuprof, real_output):
    answer = npuprof("inspect", real_output / "orangeredeng-lfs-pointer")
    assert answer.status == 1
    assert "LFS" in answer.out
    assert "TRUNCATED_TRACE" not in answer.out


def test_inspect_takes_a_database_export_for_what_it_is(npuprof, real_output):
    for rank in (0, 1):
        seen = inspect(npuprof, real_output / "msinsight-db-level0" / f"rank{rank}_ascend_pt")
        missing = [a for a in seen["anomalies"] if a["code"] == "MISSING_FILE" and ".csv" in json.dumps(a)]
        assert missing == [], "a database export has no CSV"


def test_inspect_tells_a_ragged_row(npuprof, real_output):
    assert "RAGGED_ROWS" in codes(inspect(npuprof, real_output / "msinsight-gpt3-2023-rank0"))


def test_inspect_is_independent_of_how_the_folder_is_given(npuprof, real_output, tmp_path):
    folder = real_output / "msinsight-text-level1-rank0_ascend_pt"
    archive = shutil.make_archive(str(tmp_path / "profile"), "gztar", folder.parent, folder.name)
    from_archive = inspect(npuprof, archive)
    from_folder = inspect(npuprof, folder)
    assert codes(from_archive) == codes(from_folder)
    assert from_archive["verdict"] == from_folder["verdict"]
