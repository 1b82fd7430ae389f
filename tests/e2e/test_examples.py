"""What README.md and examples/ tell a user to type or to copy works."""

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

from conftest import NPUPROF, ROOT

EXAMPLES = ROOT / "examples"


def test_client_configurations_parse_and_start_the_server():
    claude = json.loads((EXAMPLES / "clients" / "claude-code.mcp.json").read_text())
    cursor = json.loads((EXAMPLES / "clients" / "cursor.mcp.json").read_text())
    vscode = json.loads((EXAMPLES / "clients" / "vscode.mcp.json").read_text())
    codex = tomllib.loads((EXAMPLES / "clients" / "codex.config.toml").read_text())
    for server in (
        claude["mcpServers"]["npuprof"],
        cursor["mcpServers"]["npuprof"],
        vscode["servers"]["npuprof"],
        codex["mcp_servers"]["npuprof"],
    ):
        assert server["command"] == "npuprof"
        assert server["args"] == ["serve"]


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_shows_the_client_files_as_they_are(name):
    text = (ROOT / name).read_text()
    for file in sorted((EXAMPLES / "clients").iterdir()):
        assert file.read_text().strip() in text, f"{name} does not show {file.name} as it is"


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_speaks_of_commands_that_exist(name, npuprof):
    text = (ROOT / name).read_text()
    targets = set(re.findall(r"^make ([a-z]+)", text, re.MULTILINE))
    assert {"demo", "test"} <= targets
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets <= known
    for command in set(re.findall(r"^\$? ?npuprof ([a-z]+)", text, re.MULTILINE)):
        assert npuprof(command, "--help").status == 0, command
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / link).exists(), link


def test_the_readme_shows_a_configuration_that_is_valid(npuprof, tmp_path):
    for name in ("README.md", "README.zh-CN.md"):
        for block in re.findall(r"```toml\n(.*?)```", (ROOT / name).read_text(), re.DOTALL):
            if "[targets." not in block:
                continue
            config = tmp_path / "config.toml"
            config.write_text(block)
            answer = npuprof("call", "fetch_artifact", "--config", config)
            assert answer.status == 0, answer


def test_the_shell_script_collects_over_bare_json_rpc(local_config, environment, tmp_path):
    done = subprocess.run(
        [EXAMPLES / "scripts" / "collect_profile.sh", "here", "denoise.py:build"],
        capture_output=True,
        timeout=200,
        env={**environment, "NPUPROF_CONFIG": str(local_config), "PATH": f"{NPUPROF.parent}:{environment['PATH']}"},
    )
    assert done.returncode == 0, done.stderr.decode()
    words = done.stdout.decode()
    assert "captured" in words
    assert "profile_l1.tar.gz" in words


def test_the_shell_script_fails_with_the_tool(local_config, environment):
    done = subprocess.run(
        [EXAMPLES / "scripts" / "collect_profile.sh", "nowhere", "denoise.py:build"],
        capture_output=True,
        timeout=60,
        env={**environment, "NPUPROF_CONFIG": str(local_config), "PATH": f"{NPUPROF.parent}:{environment['PATH']}"},
    )
    assert done.returncode != 0
    assert "TARGET_UNKNOWN" in done.stderr.decode()


def test_the_skill_names_the_tools_and_what_they_answer(serve, local_config):
    skill = (EXAMPLES / "skills" / "profiling-collection" / "SKILL.md").read_text()
    header = re.match(r"---\n(.*?)\n---\n", skill, re.DOTALL).group(1)
    assert re.search(r"^name: profiling-collection$", header, re.MULTILINE)
    assert re.search(r"^description: .{40,}$", header, re.MULTILINE)
    server = serve(local_config)
    server.initialize()
    tools = {tool["name"]: tool for tool in server.request("tools/list")["result"]["tools"]}
    for name in tools:
        assert name in skill
    fields = set(tools["collect_profile"]["inputSchema"]["properties"]) | set(
        tools["fetch_artifact"]["inputSchema"]["properties"]
    )
    calls = [json.loads(call) for call in re.findall(r"^(\{.*\})$|`(\{.*?\})`(?: \|)", skill, re.MULTILINE) for call in call if call]
    assert len(calls) >= 4
    for call in calls:
        assert set(call) <= fields, call


def test_the_page_of_the_tools_is_what_the_schemas_say():
    made = subprocess.run([sys.executable, "-B", ROOT / "schemas" / "tools_page.py"], capture_output=True, check=True)
    assert made.stdout.decode() == (ROOT / "docs" / "tools.md").read_text(), "schemas/tools_page.py >docs/tools.md"


def test_the_page_of_troubleshooting_knows_every_error_code():
    header = (ROOT / "tools" / "core" / "error_codes.hpp").read_text()
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    assert [code for code in re.findall(r'"([A-Z_]+)"', header) if f"`{code}`" not in page] == []
