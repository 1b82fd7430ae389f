"""Whole collections on the simulated host: what comes home is what was made there, and every fault is named."""

import csv
import hashlib
import json
import os
import pathlib
import tarfile

import pytest

from conftest import target


def collect(npuprof, config, **arguments):
    return npuprof("call", "collect_profile", "--config", config, "--json", json.dumps(arguments))


def sha256(file):
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()


def test_a_run_comes_home_whole_and_trusted(npuprof, local_config):
    called = collect(npuprof, local_config, entry="denoise.py:build")
    assert called.status == 0, called
    record = called.json
    assert record["verdict"]["trust"] in ("trusted", "usable_with_care")
    assert record["warmup"]["verdict"] == "stripped"
    assert len(record["window"]["step_ms"]) == 5
    assert [anomaly for anomaly in record["anomalies"] if anomaly["severity"] == "error"] == []
    assert "simulated" in json.dumps(record).lower()

    artifact = record["artifact"]
    assert sha256(artifact["archive_path"]) == artifact["sha256"]
    assert os.path.getsize(artifact["archive_path"]) == artifact["bytes"]
    with tarfile.open(artifact["archive_path"]) as archive:
        members = {pathlib.PurePosixPath(member.name): member for member in archive if member.isfile()}
    directory = pathlib.Path(artifact["directory"])
    assert artifact["files"]
    for file in artifact["files"]:
        home = directory / file["path"]
        assert home.stat().st_size == file["bytes"], file
        assert sha256(home) == file["sha256"], file
        assert any(str(name).endswith(file["path"]) for name in members), file
        if home.suffix == ".csv":
            with open(home, newline="") as table:
                assert sum(1 for _ in csv.reader(table)) - 1 == file["rows"], file
    names = {file["name"] for file in artifact["files"]}
    assert {"kernel_details.csv", "trace_view.json", "step_trace_time.csv"} <= names
    manifest = json.loads((directory.parent / "manifest.json").read_text())
    assert {file["path"] for file in manifest["files"]} >= {file["path"] for file in artifact["files"]}


def test_inspect_agrees_with_the_run(npuprof, local_config):
    record = collect(npuprof, local_config, entry="denoise.py:build").json
    for place in (record["artifact"]["directory"], record["artifact"]["archive_path"]):
        inspected = npuprof("inspect", place, "--json")
        assert inspected.status == 0, inspected
        assert [a for a in inspected.json["anomalies"] if a["severity"] == "error"] == []


def test_a_script_that_profiles_itself_is_collected(npuprof, local_config):
    called = collect(npuprof, local_config, script="infer.py")
    assert called.status == 0, called
    assert called.json["workload"]["way"] == "script"
    assert called.json["artifact"]["state"] == "verified"


def test_the_same_run_key_gives_the_same_run(npuprof, local_config):
    first = collect(npuprof, local_config, entry="denoise.py:build", run_key="baseline").json
    again = collect(npuprof, local_config, entry="denoise.py:build", run_key="baseline").json
    assert again["run_id"] == first["run_id"]
    other = collect(npuprof, local_config, entry="denoise.py:build", run_key="baseline", active_steps=7)
    assert other.status != 0
    assert other.json["error"]["code"] == "RUN_KEY_CONFLICT"


def test_fetching_again_is_harmless(npuprof, local_config):
    record = collect(npuprof, local_config, entry="denoise.py:build").json
    again = npuprof("call", "fetch_artifact", "--config", local_config, "--json", json.dumps({"run_id": record["run_id"]}))
    assert again.status == 0, again
    assert again.json["artifact"]["sha256"] == record["artifact"]["sha256"]


def test_nothing_of_a_run_goes_on_after_it(npuprof, local_config):
    run_id = collect(npuprof, local_config, entry="denoise.py:build").json["run_id"]
    left = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"NPUPROF_RUN_ID={run_id}".encode() in (process / "environ").read_bytes():
                left.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    assert left == []


def test_a_workload_that_does_not_load_fails_precheck(npuprof, local_config, workspace):
    (workspace / "broken.py").write_text('raise RuntimeError("does not load")\n')
    called = npuprof("call", "precheck", "--config", local_config, "--json", '{"entry": "broken.py:build"}')
    assert called.status == 1, called
    assert called.json["ok"] is False
    assert called.json["error"]["code"] == "PRECHECK_FAILED"
    assert [check["status"] for check in called.json["checks"] if check["id"] == "inference"] == ["fail"]
    assert "does not load" in called.json["inference"]["reason"]
