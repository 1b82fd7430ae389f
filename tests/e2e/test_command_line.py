"""The command line as a person and a script use it."""

import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from conftest import NPUPROF


def test_help_and_version(npuprof):
    top = npuprof("--help")
    assert top.status == 0
    for command in ("serve", "call", "demo", "doctor", "inspect"):
        assert command in top.out
        detailed = npuprof(command, "--help")
        assert detailed.status == 0
        assert len(detailed.out.splitlines()) > 3
    version = npuprof("--version")
    assert version.status == 0
    assert re.fullmatch(r"npuprof \d+\.\d+\.\d+\n", version.out)


def test_no_command_shows_what_there_is(npuprof):
    nothing = npuprof()
    assert nothing.status == 2
    assert nothing.out == ""
    assert "--help" in nothing.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["call"],
        ["call", "no_such_tool"],
        ["call", "precheck", "--json", "{broken"],
        ["call", "precheck", "--json", "[1]"],
        ["call", "precheck", "--target", "nowhere"],
        ["call", "precheck", "--no-such-option"],
        ["fly"],
    ],
)
def test_what_cannot_be_tried_has_status_2(npuprof, local_config, arguments):
    config = ["--config", local_config] if arguments[0] == "call" and len(arguments) > 1 else []
    answer = npuprof(*arguments, *config)
    assert answer.status == 2, answer
    assert answer.err.strip()
    if answer.out:
        assert answer.json["ok"] is False


def test_a_broken_configuration_is_named_with_its_line(npuprof, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('[targets.a]\nkind = "local"\nworkspace = "/tmp"\ncolour = "blue"\n')
    answer = npuprof("call", "precheck", "--config", config)
    assert answer.status == 2
    assert "colour" in answer.err
    assert "4" in answer.err
    missing = npuprof("doctor", "--config", tmp_path / "lost.toml")
    assert missing.status == 2
    assert "lost.toml" in missing.err


def test_arguments_may_come_from_a_file_or_standard_input(npuprof, local_config, tmp_path):
    file = tmp_path / "arguments.json"
    file.write_text('{"target": "here"}')
    assert npuprof("call", "precheck", "--config", local_config, "--json", f"@{file}").json["target"] == "here"
    piped = npuprof("call", "precheck", "--config", local_config, "--json", "-", stdin=b'{"target": "here"}')
    assert piped.json["target"] == "here"


def test_the_configuration_is_found_where_the_environment_says(npuprof, local_config, home):
    assert npuprof("call", "precheck", env={"NPUPROF_CONFIG": str(local_config)}).status == 0
    folder = home / ".config" / "npuprof"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(local_config.read_text())
    assert npuprof("call", "precheck").status == 0


def test_doctor_of_a_machine_without_a_configuration_says_how_to_begin(npuprof):
    answer = npuprof("doctor")
    assert "config.toml" in answer.out
    assert "targets" in answer.out


def test_doctor_of_a_ready_machine_is_ready(npuprof, local_config):
    answer = npuprof("doctor", "--config", local_config)
    assert answer.status == 0, answer
    assert "here" in answer.out
    document = npuprof("doctor", "--config", local_config, "--json")
    assert document.json["ok"] is True
    assert document.json["targets"]["here"]["ok"] is True


def test_demo_runs_the_main_job_and_says_that_it_is_simulated(npuprof, tmp_path):
    began = time.monotonic()
    answer = npuprof("demo", "--directory", tmp_path / "demo")
    assert answer.status == 0, answer
    assert time.monotonic() - began < 60
    assert "SIMULATED" in answer.out
    for words in ("warm-up", "stripped", "window", "verdict", "anomal", "profile_l1.tar.gz", "kernel_details.csv", "sha256"):
        assert words in answer.out, words
    again = npuprof("demo", "--directory", tmp_path / "demo")
    assert again.status == 0, again


def test_demo_says_what_is_wrong_with_a_folder_that_is_no_host(npuprof, tmp_path):
    answer = npuprof("demo", "--simulated-host", tmp_path, "--directory", tmp_path / "demo")
    assert answer.status != 0
    assert "set_env.sh" in answer.err


def test_inspect_of_what_is_not_there(npuprof, tmp_path):
    answer = npuprof("inspect", tmp_path / "lost")
    assert answer.status == 1
    assert "lost" in answer.err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert npuprof("inspect", empty).status == 1


def slow_model(workspace):
    (workspace / "slow.py").write_text(
        "import time\nimport torch\nimport torch_npu\n\n"
        "def build(device):\n"
        "    weight = torch.randn(4, 4, device=device)\n"
        "    def step():\n        time.sleep(0.5)\n        return torch.matmul(weight, weight)\n"
        "    return step\n"
    )
    return json.dumps({"entry": "slow.py:build", "active_steps": 500})


def test_a_progress_bar_is_drawn_on_a_terminal_only(local_config, workspace, environment):
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [NPUPROF, "call", "collect_profile", "--config", local_config, "--json", '{"entry": "denoise.py:build"}'],
        stdout=subprocess.PIPE,
        stderr=follower,
        env=environment,
    )
    os.close(follower)
    drawn = b""
    out = process.stdout.read()
    while select.select([leader], [], [], 0.5)[0]:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        drawn += part
    os.close(leader)
    assert process.wait(30) == 0
    assert json.loads(out)["state"] == "captured"
    assert b"\r" in drawn and b"%" in drawn


def wait_for_a_step(workspace, deadline=60):
    until = time.monotonic() + deadline
    while time.monotonic() < until:
        for events in workspace.glob(".npuprof/runs/*/events.jsonl"):
            if '"step"' in events.read_text():
                return events.parent.name
        time.sleep(0.1)
    raise TimeoutError("the run made no step")


def test_ctrl_c_ends_the_run(local_config, workspace, environment):
    process = subprocess.Popen(
        [NPUPROF, "call", "collect_profile", "--config", local_config, "--json", slow_model(workspace)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    run_id = wait_for_a_step(workspace)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["state"] == "cancelled"
    assert run_id in err.decode()
    left = subprocess.run(["grep", "-lsa", f"NPUPROF_RUN_ID={run_id}", *map(str, pathlib.Path("/proc").glob("[0-9]*/environ"))], capture_output=True)
    assert left.stdout == b""


def test_installing_brings_all_that_the_demo_needs(npuprof, tmp_path, environment):
    build = NPUPROF.parent.parent
    subprocess.run(["cmake", "--install", build, "--prefix", "/usr"], check=True, capture_output=True, env={**environment, "DESTDIR": str(tmp_path / "stage")})
    program = tmp_path / "stage" / "usr" / "bin" / "npuprof"
    assert program.exists()
    demo = subprocess.run([program, "demo", "--directory", tmp_path / "demo"], capture_output=True, env=environment)
    assert demo.returncode == 0, demo.stderr.decode()
    installed = tmp_path / "stage" / "usr" / "share" / "npuprof" / "simulated_host"
    assert (installed / "set_env.sh").exists()
