"""The protocol over standard input and output, spoken in raw JSON-RPC lines."""

import json
import time

import pytest

HANDSHAKE_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.parametrize("revision", HANDSHAKE_REVISIONS)
def test_initialize_settles_on_the_revision_asked_for(serve, local_config, revision):
    server = serve(local_config)
    result = server.initialize(revision)
    assert result["protocolVersion"] == revision
    assert result["serverInfo"]["name"] == "npuprof"
    assert "tools" in result["capabilities"]
    names = [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]
    assert sorted(names) == ["cancel_run", "collect_profile", "fetch_artifact", "precheck"]
    assert server.close_input() == 0
    assert server.dirt == []


def test_an_unknown_revision_is_answered_with_one_that_is_spoken(serve, local_config):
    assert serve(local_config).initialize("1999-01-01")["protocolVersion"] in HANDSHAKE_REVISIONS


def test_the_stateless_era_needs_no_handshake(serve, local_config):
    server = serve(local_config)
    found = server.request("server/discover", {"_meta": MODERN})["result"]
    assert "2026-07-28" in found["supportedVersions"]
    tools = server.request("tools/list", {"_meta": MODERN})["result"]["tools"]
    assert "collect_profile" in [tool["name"] for tool in tools]
    called = server.request(
        "tools/call", {"name": "precheck", "arguments": {"target": "here"}, "_meta": MODERN}, timeout=120
    )["result"]
    assert called["structuredContent"]["ok"] is True
    assert called["resultType"] == "complete"


def test_every_tool_is_described_as_the_strictest_clients_want_it(serve, local_config):
    server = serve(local_config)
    server.initialize()
    for tool in server.request("tools/list")["result"]["tools"]:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            assert not {"oneOf", "anyOf", "allOf", "$ref"} & set(schema)
            arrays = [schema]
            while arrays:
                part = arrays.pop()
                if isinstance(part, dict):
                    assert part.get("type") != "array" or "items" in part, part
                    arrays.extend(part.values())
                elif isinstance(part, list):
                    arrays.extend(part)
        assert tool["outputSchema"].get("required", []) == ["ok"]
        assert set(tool["annotations"]) >= {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert len(tool["description"]) > 80


def test_a_whole_collection_reports_progress_and_comes_home(serve, local_config):
    server = serve(local_config)
    server.initialize()
    result = server.call(
        "collect_profile",
        {"entry": "denoise.py:build", "active_steps": 3, "wait_s": 100},
        _meta={"progressToken": "bar"},
    )
    record = result["structuredContent"]
    assert not result.get("isError"), record
    assert record["state"] == "captured"
    assert record["artifact"]["state"] == "verified"
    assert record["warmup"]["verdict"] == "stripped"
    text = result["content"][0]["text"]
    assert len(text.splitlines()) <= 40
    assert record["run_id"] in text
    assert record["artifact"]["sha256"] in text
    values = [
        note["params"]["progress"]
        for note in server.notifications
        if note["method"] == "notifications/progress" and note["params"]["progressToken"] == "bar"
    ]
    assert len(values) >= 3
    assert values == sorted(set(values)), "progress must grow"
    assert server.close_input() == 0
    assert server.dirt == []


def test_bare_methods_answer_scripts_without_a_handshake(serve, local_config):
    server = serve(local_config)
    good = server.request("precheck", {"target": "here"}, timeout=120)
    assert good["result"]["ok"] is True
    assert good["result"]["target"] == "here"
    bad = server.request("precheck", {"target": "nowhere"})
    assert bad["error"]["data"]["code"] == "TARGET_UNKNOWN"
    assert "here" in bad["error"]["data"]["message"] + bad["error"]["data"]["remedy"]


def test_a_cancelled_call_is_not_answered_and_the_server_goes_on(serve, local_config):
    server = serve(local_config)
    server.initialize()
    request_id = server.start_request(
        "tools/call", {"name": "collect_profile", "arguments": {"entry": "denoise.py:build", "wait_s": 100}}
    )
    server.notify("notifications/cancelled", {"requestId": request_id, "reason": "test"})
    assert server.request("ping")["result"] == {}
    with pytest.raises(TimeoutError):
        server.answer(request_id, timeout=3)
    assert server.close_input(30) == 0


def test_it_ends_promptly_when_its_input_does(serve, local_config):
    server = serve(local_config)
    server.initialize()
    began = time.monotonic()
    assert server.close_input() == 0
    assert time.monotonic() - began < 5


def test_malformed_lines_are_answered_and_harm_nothing(serve, local_config):
    server = serve(local_config)
    server.initialize()
    for line in (b"{nonsense\n", b"\xff\xfe\x00\n", b"[1, 2\n", b"null\n", b'"text"\n', b'{"jsonrpc":"2.0"}\n'):
        server.send_bytes(line)
    assert server.request("ping")["result"] == {}
    errors = [answer for answer in server._unclaimed.values()]
    assert errors and all(answer["error"]["code"] in (-32700, -32600) for answer in errors)
    assert server.close_input() == 0
    assert server.dirt == []


def test_a_line_of_300_megabytes_is_refused_and_harms_nothing(serve, local_config):
    server = serve(local_config)
    server.initialize()
    chunk = b" " * (1 << 20)
    server.send_bytes(b'{"jsonrpc":"2.0","id":900,"method":"ping","params":{"filler":"')
    for _ in range(300):
        server.send_bytes(chunk)
    server.send_bytes(b'"}}\n')
    assert server.request("ping")["result"] == {}
    status = open(f"/proc/{server.process.pid}/status").read()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    assert peak < 150_000, f"peak resident size {peak} kB: the line was kept"
    assert server.dirt == []


def test_unknown_methods_and_a_second_initialize_are_errors(serve, local_config):
    server = serve(local_config)
    server.initialize()
    assert server.request("tools/imagine")["error"]["code"] == -32601
    again = server.request(
        "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    )
    assert again["error"]["code"] == -32600
    assert server.request("ping")["result"] == {}


def test_an_unknown_tool_is_a_protocol_error(serve, local_config):
    server = serve(local_config)
    server.initialize()
    answer = server.request("tools/call", {"name": "profile_everything", "arguments": {}})
    assert answer["error"]["code"] == -32602
    assert "profile_everything" in json.dumps(answer["error"])


def test_a_server_without_a_configuration_still_serves(serve, tmp_path):
    empty = tmp_path / "empty.toml"
    empty.write_text("")
    server = serve(empty)
    server.initialize()
    result = server.call("precheck")
    assert result.get("isError") or result["structuredContent"].get("targets") == []
