// Lists and calls the tools with the official TypeScript client, and writes what it saw as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, config, target] = process.argv.slice(2);
const client = new Client({ name: "e2e", version: "1" });
await client.connect(new StdioClientTransport({ command, args: ["serve", "--config", config], stderr: "inherit" }));
const { tools } = await client.listTools();
const progress = [];
const precheck = await client.callTool({ name: "precheck", arguments: { target } }, undefined, { timeout: 120000 });
const run = await client.callTool(
  { name: "collect_profile", arguments: { target, entry: "denoise.py:build", active_steps: 3, wait_s: 100 } },
  undefined,
  { timeout: 120000, onprogress: (report) => progress.push(report.progress) },
);
const refused = await client.callTool({ name: "precheck", arguments: { target: "nowhere" } });
process.stdout.write(
  JSON.stringify({ tools: tools.map((tool) => tool.name), precheck, run, refused, progress, server: client.getServerVersion() }),
);
await client.close();
