"""Whatever is wrong, the answer says what happened, whether anything ran, and what to do; and nothing is left behind."""

import io
import json
import os
import pathlib
import subprocess
import tarfile
import textwrap

import pytest

from conftest import target

ENTRY = "denoise.py:build"


@pytest.fixture
def collect(npuprof, local_config):
    def call(**arguments):
        return npuprof("call", "collect_profile", "--config", local_config, "--json", json.dumps(arguments))

    return call


def error_of(answer):
    assert answer.status != 0, answer
    error = answer.json["error"]
    assert error["message"], answer
    assert error["remedy"], answer
    return error


def no_run_is_left(workspace):
    runs = pathlib.Path(workspace) / ".npuprof" / "runs"
    return not runs.exists() or not list(runs.iterdir())


def no_process_is_left(record):
    wanted = f"NPUPROF_RUN_ID={record['run_id']}".encode()
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes():
                return False
        except OSError:
            continue
    return True


def test_an_unknown_target_is_answered_with_the_names_there_are(collect):
    answer = collect(target="nowhere", entry=ENTRY)
    error = error_of(answer)
    assert error["code"] == "TARGET_UNKNOWN"
    assert "here" in error["message"] + error["remedy"]
    assert answer.status == 2


@pytest.mark.parametrize("script", ["../outside.py", "/etc/hostname", "link_out.py"])
def test_a_script_outside_the_workspace_is_refused(collect, workspace, script):
    (workspace.parent / "outside.py").write_text("print('ran')\n")
    (workspace / "link_out.py").symlink_to(workspace.parent / "outside.py")
    assert error_of(collect(script=script))["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert no_run_is_left(workspace)


def test_a_script_that_is_missing_is_named(collect, workspace):
    error = error_of(collect(script="lost.py"))
    assert error["code"] == "NOT_FOUND"
    assert "lost.py" in error["message"]
    assert no_run_is_left(workspace)


def test_a_script_that_is_a_directory_is_named(collect, workspace):
    (workspace / "folder.py").mkdir()
    error = error_of(collect(script="folder.py"))
    assert "folder.py" in error["message"]
    assert "directory" in error["message"]
    assert no_run_is_left(workspace)


def test_an_unknown_device_is_answered_with_those_there_are(collect, workspace):
    error = error_of(collect(entry=ENTRY, device_ids=[63]))
    assert error["code"] == "DEVICE_UNKNOWN"
    assert "63" in error["message"]
    assert no_run_is_left(workspace)


@pytest.mark.parametrize(
    "arguments, field",
    [
        ({"entry": ENTRY, "active_steps": "five"}, "active_steps"),
        ({"entry": ENTRY, "active_steps": 0}, "active_steps"),
        ({"entry": ENTRY, "device_ids": 0}, "device_ids"),
        ({"script": "infer.py", "args": "--prompt cat"}, "args"),
        ({"entry": ENTRY, "wram_up": 3}, "wram_up"),
        ({"entry": ENTRY, "level": "l9"}, "level"),
    ],
)
def test_a_wrong_type_is_refused_naming_the_field(collect, workspace, arguments, field):
    answer = collect(**arguments)
    error = error_of(answer)
    assert error["code"] == "INVALID_ARGUMENTS"
    assert field in error["message"] + json.dumps(error.get("details"))
    assert answer.status == 2
    assert no_run_is_left(workspace)


def test_no_workload_at_all_is_refused(collect, workspace):
    assert error_of(collect())["code"] == "INVALID_ARGUMENTS"
    assert no_run_is_left(workspace)


def test_a_variable_that_the_target_does_not_allow_is_refused(collect, workspace):
    error = error_of(collect(entry=ENTRY, env={"LD_PRELOAD": "/tmp/x.so"}))
    assert "LD_PRELOAD" in error["message"]
    assert no_run_is_left(workspace)


def test_a_missing_workspace_is_named(npuprof, write_config, tmp_path):
    gone = tmp_path / "gone"
    config = write_config(target("here", gone))
    answer = npuprof("call", "collect_profile", "--config", config, "--json", json.dumps({"entry": ENTRY}))
    assert answer.status == 1, answer
    assert str(gone) in json.dumps(answer.json)
    assert not gone.exists()


def test_a_full_workspace_is_named(npuprof, write_config, workspace, tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full], capture_output=True).returncode != 0:
        pytest.skip("a full file system needs the right to mount one")
    try:
        for file in workspace.glob("*.py"):
            (full / file.name).write_bytes(file.read_bytes())
        with pytest.raises(OSError):
            (full / "filler").write_bytes(b"x" * 200_000)
        config = write_config(target("here", full))
        answer = npuprof("call", "collect_profile", "--config", config, "--json", json.dumps({"entry": ENTRY}))
        assert answer.status == 1, answer
        words = json.dumps(answer.json).lower()
        assert "space" in words or "disk" in words, answer
    finally:
        subprocess.run(["umount", full], check=True)


def test_a_missing_python_is_named(npuprof, write_config, workspace):
    config = write_config(target("here", workspace, python="python9.9"))
    answer = npuprof("call", "collect_profile", "--config", config, "--json", json.dumps({"entry": ENTRY}))
    assert answer.status == 1, answer
    assert "python9.9" in json.dumps(answer.json)
    assert no_run_is_left(workspace)


def test_a_torch_npu_that_cannot_be_imported_is_named(npuprof, write_config, workspace, tmp_path):
    broken = tmp_path / "broken"
    (broken / "torch_npu").mkdir(parents=True)
    (broken / "torch_npu" / "__init__.py").write_text("raise ImportError('libhccl.so: cannot open shared object file')\n")
    set_env = tmp_path / "set_env.sh"
    from conftest import SIMULATED_HOST

    set_env.write_text(f". '{SIMULATED_HOST}/set_env.sh'\nexport PYTHONPATH='{broken}':$PYTHONPATH\n")
    config = write_config(target("here", workspace, set_env=[str(set_env)]))
    answer = npuprof("call", "collect_profile", "--config", config, "--json", json.dumps({"entry": ENTRY}))
    assert answer.status == 1, answer
    assert "libhccl.so" in json.dumps(answer.json)


def write_model(workspace, body, name="own.py"):
    (workspace / name).write_text(
        "import os, sys, time\nimport torch\nimport torch_npu\n\n"
        "def build(device, **params):\n"
        "    weight = torch.randn(8, 8, device=device)\n"
        "    def step():\n" + textwrap.indent(textwrap.dedent(body), " " * 8) + "\n"
        "        return torch.matmul(weight, weight)\n"
        "    return step\n"
    )
    return f"{name}:build"


def test_a_workload_that_crashes_is_quoted(collect, workspace):
    answer = collect(entry=write_model(workspace, "raise ValueError('the tensor shapes differ')"))
    error = error_of(answer)
    assert error["code"] == "WORKLOAD_FAILED"
    assert answer.json["state"] == "failed"
    assert "the tensor shapes differ" in json.dumps(answer.json)
    assert no_process_is_left(answer.json)


def test_a_workload_that_is_killed_is_told_from_one_that_fails(collect, workspace):
    answer = collect(entry=write_model(workspace, "os.kill(os.getpid(), 9)"))
    assert answer.status == 1
    assert answer.json["state"] == "failed"
    assert "KILL" in json.dumps(answer.json)


def test_a_workload_that_prints_100_megabytes_is_bounded(collect, workspace):
    body = "for _ in range(20): os.write(2, b'flood ' * 175000)"
    answer = collect(entry=write_model(workspace, body), warmup_steps=2, active_steps=2)
    assert answer.json["state"] == "captured", answer
    assert len(answer.out) < 200_000
    kept = sum(file.stat().st_size for file in (workspace / ".npuprof").rglob("stdout.log"))
    assert kept < 20 << 20


def test_a_workload_that_prints_binary_is_shown_clean(collect, workspace):
    body = "os.write(1, bytes(range(256)) + b'\\x1b[31mred\\x1b]0;title\\x07\\n'); raise ValueError('after the noise')"
    answer = collect(entry=write_model(workspace, body))
    assert answer.status == 1
    assert "after the noise" in json.dumps(answer.json)
    for text in (answer.json["log_tail"], answer.err):
        assert "\x1b" not in text and "\x07" not in text and "\x00" not in text


def test_a_workload_that_hangs_is_ended_at_its_deadline(collect, workspace):
    answer = collect(entry=write_model(workspace, "time.sleep(1000)"), timeout_s=4)
    assert answer.status == 1
    assert answer.json["state"] == "timed_out"
    assert answer.json["error"]["code"] == "TIMED_OUT"
    assert no_process_is_left(answer.json)


def test_an_output_directory_that_exists_is_left_alone(npuprof, write_config, workspace, tmp_path):
    root = tmp_path / "results"
    taken = root / "mine"
    (taken / "profile_l1").mkdir(parents=True)
    (taken / "profile_l1" / "kept.txt").write_text("mine")
    config = write_config(target("here", workspace))
    config.write_text(config.read_text() + f'output_roots = ["{root}"]\n')
    run_id = npuprof("call", "collect_profile", "--config", config, "--json", json.dumps({"entry": ENTRY})).json["run_id"]

    def fetch(**more):
        arguments = {"run_id": run_id, "output_dir": str(taken), **more}
        return npuprof("call", "fetch_artifact", "--config", config, "--json", json.dumps(arguments))

    assert error_of(fetch())["code"] == "ALREADY_EXISTS"
    assert [file.name for file in taken.rglob("*") if file.is_file()] == ["kept.txt"]
    elsewhere = fetch(output_dir=str(tmp_path / "elsewhere"))
    assert error_of(elsewhere)["code"] == "PATH_NOT_ALLOWED"
    assert not (tmp_path / "elsewhere").exists()
    fresh = fetch(output_dir=str(root / "new"))
    assert fresh.status == 0, fresh
    assert (root / "new").is_dir()


def test_an_unknown_run_is_named(npuprof, local_config):
    for tool in ("fetch_artifact", "cancel_run"):
        answer = npuprof("call", tool, "--config", local_config, "--json", '{"run_id": "here-20260101-000000-aaaaaaaa"}')
        assert error_of(answer)["code"] == "RUN_UNKNOWN"


def test_a_link_in_a_fetched_directory_is_not_followed(npuprof, local_config, workspace):
    profile = workspace / "profile_l1"
    profile.mkdir()
    (profile / "trace_view.json").write_text("[]")
    (profile / "passwd").symlink_to("/etc/passwd")
    answer = npuprof("call", "fetch_artifact", "--config", local_config, "--json", '{"target": "here", "remote_dir": "profile_l1"}')
    artifact = answer.json["artifact"]
    home = pathlib.Path(artifact["directory"])
    assert (home / "trace_view.json").exists()
    assert not (home / "passwd").exists() and not (home / "passwd").is_symlink()


def evil_archive(file, *members):
    with tarfile.open(file, "w:gz") as archive:
        for name, kind in members:
            info = tarfile.TarInfo(name)
            if kind.startswith("->"):
                info.type = tarfile.SYMTYPE
                info.linkname = kind[2:]
                archive.addfile(info)
            else:
                info.size = len(kind)
                archive.addfile(info, io.BytesIO(kind.encode()))
    return file


@pytest.mark.parametrize(
    "members",
    [
        [("../escaped.txt", "x")],
        [("/tmp/npuprof-escaped.txt", "x")],
        [("profile/out", "->/etc"), ("profile/out/escaped.txt", "x")],
        [("profile/../../escaped.txt", "x")],
    ],
)
def test_an_archive_that_reaches_out_is_refused(npuprof, tmp_path, members):
    archive = evil_archive(tmp_path / "evil.tar.gz", *members)
    own = tmp_path / "tmp"
    own.mkdir()
    answer = npuprof("inspect", archive, "--json", env={"TMPDIR": str(own)})
    assert error_of(answer)["code"] == "ARCHIVE_UNSAFE"
    assert list(own.iterdir()) == []
    assert not (tmp_path / "escaped.txt").exists() and not os.path.exists("/tmp/npuprof-escaped.txt")


def test_a_cut_archive_is_refused(npuprof, tmp_path):
    archive = evil_archive(tmp_path / "cut.tar.gz", ("profile/trace_view.json", "[" + "{}," * 50_000 + "{}]"))
    archive.write_bytes(archive.read_bytes()[:-100])
    assert error_of(npuprof("inspect", archive, "--json"))["code"] == "ARCHIVE_BROKEN"


def test_nothing_is_left_behind_by_what_failed(collect, workspace, tmp_path):
    before = sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts)
    for arguments in ({"script": "lost.py"}, {"entry": ENTRY, "device_ids": [63]}, {"target": "nowhere", "entry": ENTRY}):
        collect(**arguments)
    after = sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts)
    new = [path for path in set(after) - set(before) if path.is_file() and not path.is_relative_to(tmp_path / "data")]
    assert [path for path in new if path.name != "config.toml"] == []
