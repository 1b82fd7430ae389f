#!/usr/bin/env python3
"""Writes docs/tools.md from the schemas: tools_page.py >docs/tools.md. A test holds the page to them."""

import json
import pathlib

HERE = pathlib.Path(__file__).parent

HEAD = """# The tools

Made from schemas/ by schemas/tools_page.py; change it there.

A target is named, never described: what it is, is in the [configuration](configuration.md). `device_id` is the index that torch takes *in the
target*; the bus id beside it is what identifies a device. Every answer has `ok`; where it is false, `error` has `code`, `message`,
`remedy`, `who` and `retryable` ([troubleshooting](troubleshooting.md)).

Over MCP the answer is in `structuredContent`, and the same facts are in the text. Scripts need no MCP: over the same standard input,
`{"jsonrpc": "2.0", "id": 1, "method": "precheck", "params": {"target": "a2"}}` is answered with the structured result alone, or with a JSON-RPC
error whose `data` is the error object. From a shell, `npuprof call precheck --target a2` does the same.
"""

TOOLS = [
    ("precheck", "May we profile here, now?", "precheck_input", "precheck_output"),
    ("collect_profile", "Run the whole thing", "collect_profile_input", None),
    ("fetch_artifact", "Bring it home, again, later, or from elsewhere", "fetch_artifact_input", None),
    ("cancel_run", "End a run", "cancel_run_input", None),
]


def load(name):
    file = HERE / f"{name}.schema.json"
    return json.loads(file.read_text()) if file.exists() else None


def kind(schema):
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(kind(part) for part in schema["anyOf"])
    of = schema.get("type", "any")
    if isinstance(of, list):
        return " or ".join(of)
    if of == "array":
        return f"array of {kind(schema.get('items', {}))}"
    bounds = [str(schema[name]) for name in ("minimum", "maximum") if name in schema]
    return f"{of} {'..'.join(bounds)}" if len(bounds) == 2 else of


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def rows(schema, prefix=""):
    for name, field in schema.get("properties", {}).items():
        default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
        yield f"| `{prefix}{name}` | {kind(field)} | {default} | {cell(field.get('description', ''))} |"
        inner = field.get("items", {}) if field.get("type") == "array" else field
        if inner.get("properties"):
            yield from rows(inner, f"{prefix}{name}{'[]' if inner is not field else ''}.")


def table(schema):
    return "\n".join(["| field | is | default | means |", "|---|---|---|---|", *rows(schema)])


def page():
    parts = [HEAD]
    for name, title, takes, answers in TOOLS:
        parts.append(f"## {name}: {title}\n")
        schema = load(takes)
        parts.append("Takes:\n\n" + table(schema) + "\n")
        examples = schema.get("examples", [])
        if examples:
            parts.append("```json\n" + "\n".join(json.dumps(example) for example in examples) + "\n```\n")
        parts.append(f"Answers:\n\n{table(load(answers))}\n" if answers else "Answers with [a run's record](#a-runs-record).\n")
    parts.append("## A run's record\n\n" + table(load("run_record")) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(), end="")
