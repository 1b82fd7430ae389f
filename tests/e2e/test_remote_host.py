"""The same over a real sshd, and everything that can be wrong on the way to a host."""

import json
import shutil

import pytest

from conftest import target
from ssh_server import free_port


def precheck(npuprof, config, **env):
    return npuprof("call", "precheck", "--config", config, env=env)


def test_a_run_over_ssh_comes_home(npuprof, remote_config):
    checked = precheck(npuprof, remote_config)
    assert checked.status == 0, checked
    called = npuprof("call", "collect_profile", "--config", remote_config, "--json", '{"entry": "denoise.py:build"}')
    assert called.status == 0, called
    assert called.json["artifact"]["state"] == "verified"
    assert called.json["warmup"]["verdict"] == "stripped"


def test_doctor_says_which_target_is_reached_and_why_one_is_not(npuprof, write_config, workspace, sshd):
    config = write_config(
        target("good", workspace, **sshd.target_fields()),
        target("closed", workspace, **sshd.target_fields(port=free_port())),
    )
    seen = npuprof("doctor", "--config", config)
    assert seen.status == 1, seen
    assert "good" in seen.out and "closed" in seen.out
    assert "HOST_UNREACHABLE" in seen.out
    ready = npuprof("doctor", "--config", write_config(target("good", workspace, **sshd.target_fields())))
    assert ready.status == 0, ready


@pytest.fixture
def refused(npuprof, write_config, workspace, sshd):
    def call(code, env=None, **changed):
        config = write_config(target("remote", workspace, **sshd.target_fields(**changed)))
        answer = npuprof("call", "precheck", "--config", config, env=env)
        assert answer.status == 1, answer
        error = answer.json["error"]
        assert error["code"] == code, error
        assert error["remedy"], error
        return error

    return call


def test_a_closed_port_is_named(refused):
    port = free_port()
    error = refused("HOST_UNREACHABLE", port=port)
    assert str(port) in error["message"]


def test_a_name_that_is_no_host_is_named(refused):
    error = refused("HOST_UNREACHABLE", host="no-such-host.invalid")
    assert "no-such-host.invalid" in error["message"]


def test_an_unknown_host_key_is_refused_with_its_fingerprint(refused, tmp_path, sshd):
    empty = tmp_path / "known_hosts"
    empty.write_text("")
    error = refused("HOST_KEY_UNKNOWN", known_hosts=str(empty))
    assert sshd.host_fingerprint in error["message"] + error["remedy"]
    assert empty.read_text() == "", "a key must never be added unasked"


def test_a_changed_host_key_is_refused(refused, tmp_path, sshd):
    other = (sshd.folder / "stranger_key.pub").read_text().split()
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{sshd.port} {other[0]} {other[1]}\n")
    error = refused("HOST_KEY_CHANGED", known_hosts=str(known))
    assert sshd.host_fingerprint in error["message"] + error["remedy"]


def test_a_key_that_the_host_does_not_know_is_refused(refused, sshd):
    refused("AUTH_FAILED", identity_file=str(sshd.stranger_key))


def test_a_user_that_the_host_does_not_know_is_refused(refused):
    refused("AUTH_FAILED", user="nobody-here")


def test_a_key_that_is_not_there_is_named(refused, tmp_path):
    error = refused("AUTH_FAILED", identity_file=str(tmp_path / "lost_key"))
    assert "lost_key" in error["message"] + error["remedy"]


def test_a_workspace_that_is_not_there_is_named(npuprof, remote_config, workspace):
    shutil.rmtree(workspace)
    answer = npuprof("call", "collect_profile", "--config", remote_config, "--json", '{"entry": "denoise.py:build"}')
    assert answer.status == 1, answer
    assert str(workspace) in json.dumps(answer.json)
    assert not workspace.exists()
