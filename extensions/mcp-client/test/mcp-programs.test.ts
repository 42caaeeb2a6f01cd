import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { SettingsError, ToolFailure } from "swarmbase/extension";
import { assignedTool, callContext, type ToolOutcome } from "../../../server/test/support/tool-stage.ts";
import { McpPool } from "../src/sessions/mcp-pool.ts";
import { loadMcpServers, type McpServer, type McpServers } from "../src/load-mcp-servers.ts";
import { runMcpTool } from "../src/run-mcp-tool.ts";
import { ServerPrograms } from "../src/sessions/server-programs.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { NO_ACCOUNTS, NO_HELD_CALLS, NOBODY, openToolsForTest, SESSION_LIMITS } from "./support/open-tools.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

/** Answers `initialize`, and ends with every other request. */
const CRASHING = `
process.stdin.on("data", (data) => {
  for (const line of data.toString().split("\\n").filter(Boolean)) {
    const { id, method, params } = JSON.parse(line);
    if (method === "tools/call") process.exit(1);
    if (method !== "initialize") continue;
    const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "x", version: "1" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  }
});
`;

function program(name: string, args: readonly string[], parts: Partial<McpServer> = {}): [string, McpServer] {
  return [
    name,
    { name, command: process.execPath, args, env: {}, cwd: null, isForUsers: true, canAsk: false, ...parts },
  ];
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function codeOf(outcome: ToolOutcome): string {
  return outcome.status === "failed" ? outcome.error.code : outcome.status;
}

test("tools of a program are listed and called, with the environment that the file names and no other", async (t) => {
  const env = { SHOWN: "yes" };
  const servers: McpServers = new Map([
    program("everything", [EVERYTHING, "stdio"], { env }),
    program("internal", [EVERYTHING, "stdio"], { isForUsers: false }),
  ]);
  const tools = openToolsForTest(t, { servers });
  const call = (remote_name: string, input = {}, named = "everything"): Promise<ToolOutcome> => {
    const config = { server: named, remote_name };
    return tools.run(assignedTool({ kind: "mcp", config, timeout_ms: WAIT_MS }), input, callContext());
  };
  const echoed = await call("echo", { message: "Hello" });
  assert.ok(echoed.status === "succeeded", JSON.stringify(echoed));
  assert.match(echoed.text, /Hello/);
  const server = { server: "everything", secrets: {} };
  const listed = await tools.listRemote({ callerId: "someone", server });
  assert.ok(listed.some(({ name }) => name === "echo"));
  const shown = await call("get-env");
  assert.ok(shown.status === "succeeded", JSON.stringify(shown));
  const { SHOWN, PATH, HOME } = JSON.parse(shown.text);
  assert.deepEqual([SHOWN, PATH, HOME], ["yes", undefined, undefined]);

  assert.equal(codeOf(await call("echo", {}, "internal")), "TOOL_UNUSABLE");
  assert.equal(codeOf(await call("echo", {}, "unknown")), "TOOL_UNUSABLE");
  const list = (named: string, callerId: string | null = "someone"): Promise<unknown> =>
    tools.listRemote({ callerId, server: { server: named, secrets: {} } });
  await assert.rejects(list("unknown"), { code: "VALIDATION_ERROR" });
  await assert.rejects(list("internal"), { code: "FORBIDDEN" });
  const secret = { server: "everything", secrets: { token: "t0ken" } };
  await assert.rejects(tools.listRemote({ callerId: "someone", server: secret }), { code: "VALIDATION_ERROR" });
});

/** A server that counts requests for its list, and announces that a call has added a tool. */
const GROWING = `
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
const server = new McpServer({ name: "growing", version: "1" });
let listed = 0;
const answer = (text) => ({ content: [{ type: "text", text: String(text) }] });
server.registerTool("count", { description: "x" }, async () => answer(listed));
server.registerTool("grow", { description: "x" }, async () => {
  server.registerTool("grown", { description: "x" }, async () => answer(""));
  return answer("");
});
const transport = new StdioServerTransport();
await server.connect(transport);
const handle = transport.onmessage;
transport.onmessage = (message, extra) => {
  if (message.method === "tools/list") listed += 1;
  handle(message, extra);
};
`;

test("the list of a program's tools is cached until the program announces a change", async (t) => {
  const servers: McpServers = new Map([program("growing", ["--input-type=module", "-e", GROWING], { cwd: ROOT })]);
  const tools = openToolsForTest(t, { servers });
  const call = async (remote_name: string): Promise<string> => {
    const tool = assignedTool({ kind: "mcp", config: { server: "growing", remote_name }, timeout_ms: WAIT_MS });
    const outcome = await tools.run(tool, {}, callContext());
    assert.ok(outcome.status === "succeeded", JSON.stringify(outcome));
    return outcome.text;
  };
  const list = async (): Promise<string[]> => {
    const listed = await tools.listRemote({ callerId: "someone", server: { server: "growing", secrets: {} } });
    return listed.map(({ name }) => name).toSorted();
  };
  assert.deepEqual(await list(), ["count", "grow"]);
  assert.deepEqual(await list(), ["count", "grow"]);
  assert.equal(await call("count"), "1");
  await call("grow");
  // The notification precedes the answer of this call.
  assert.equal(await call("count"), "1");
  assert.deepEqual(await list(), ["count", "grow", "grown"]);
  await list();
  assert.equal(await call("count"), "2");
});

test("a server on this machine is reached without TLS", async (t) => {
  const port = await findFreePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env, stdio: "ignore" });
  t.after(async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  for (const deadline = Date.now() + WAIT_MS; !(await accepts(port)); await delay(20))
    assert.ok(Date.now() < deadline, "the server does not listen");
  const url = `http://127.0.0.1:${port}/mcp`;
  const tools = openToolsForTest(t);
  const run = (kind: string, config: object): Promise<ToolOutcome> =>
    tools.run(
      assignedTool({ kind, config: { url, ...config }, timeout_ms: 120_000 }),
      { message: "Hello" },
      callContext(),
    );
  const echoed = await run("mcp", { remote_name: "echo" });
  assert.ok(echoed.status === "succeeded", JSON.stringify(echoed));
  assert.match(echoed.text, /Hello/);
  const listed = await tools.listRemote({ callerId: "someone", server: { url, secrets: {} } });
  assert.ok(listed.some(({ name }) => name === "get-env"));
  assert.equal(codeOf(await run("http", {})), "TOOL_UNUSABLE", "other tools need TLS");
});

test("a program that fails is started again with a growing delay", async (t) => {
  const ends: unknown[] = [];
  const servers: McpServers = new Map([
    program("crashing", ["-e", CRASHING]),
    program("missing", [], { command: "/no/such/program" }),
  ]);
  const open = (firstDelayMs: number): McpPool => {
    const programs = new ServerPrograms({
      servers,
      firstDelayMs,
      onEnded: (server, failures) => void ends.push([server, failures]),
    });
    const pool = new McpPool({
      fetch: () => Promise.reject(new Error("no requests")),
      version: "test",
      limits: SESSION_LIMITS,
      tokensOf: () => assert.fail("no tool has tokens"),
      idleMs: 50,
      held: NO_HELD_CALLS,
      programs,
      onExcluded: () => {},
    });
    t.after(() => pool.close());
    return pool;
  };
  const call = async (pool: McpPool, server: string): Promise<string> => {
    const { signal } = new AbortController();
    const base = { name: "x", ownerId: null, swarmId: null, input: {}, secrets: {}, maxChars: 1_000, maxRetries: 0 };
    const config = { server, remote_name: "x" };
    const failure = await runMcpTool(pool, NO_ACCOUNTS, {
      ...base,
      config,
      signal,
      timeoutMs: WAIT_MS,
      traceparent: undefined,
      starter: NOBODY,
    }).then(
      () => assert.fail("the program answered"),
      (error: unknown) => error,
    );
    assert.ok(failure instanceof ToolFailure);
    assert.equal(failure.fault.code, "TOOL_UNREACHABLE");
    return failure.message;
  };
  const impatient = open(0);
  for (const failures of [1, 2]) {
    assert.equal(await call(impatient, "crashing"), "The MCP server has ended the connection.");
    assert.deepEqual(ends.splice(0), [["crashing", failures]]);
    assert.equal(impatient.size, 0);
  }
  // Longer than the test.
  const patient = open(10 * WAIT_MS);
  assert.equal(await call(patient, "missing"), "The MCP server missing could not be started.");
  assert.match(await call(patient, "missing"), /^The MCP server missing has failed, and is started again in \d+ s\.$/);
  assert.deepEqual(ends, [["missing", 1]]);
});

async function load(t: TestContext, content: string, environment = {}): Promise<McpServers> {
  const file = join(await createTemporaryFolder(t, "swarmbase-mcp-"), "servers.json");
  await writeFile(file, content);
  return loadMcpServers(file, environment);
}

test("the file lists programs, and each of its faults stops the start", async (t) => {
  const entry = { command: "files", args: ["--root", "/srv"], env: { A: "1" }, inherit_env: ["PATH", "ABSENT"] };
  const servers = await load(t, JSON.stringify({ mcpServers: { files: entry } }), { PATH: "/bin", MASTER_KEY: "x" });
  assert.deepEqual(servers.get("files"), {
    name: "files",
    command: "files",
    args: ["--root", "/srv"],
    env: { PATH: "/bin", A: "1" },
    cwd: null,
    isForUsers: false,
    canAsk: false,
  });
  assert.equal(loadMcpServers(null, {}).size, 0);
  for (const content of [
    "{",
    "{}",
    '{"mcpServers":{"a b":{"command":"x"}}}',
    '{"mcpServers":{"a":{"command":""}}}',
    '{"mcpServers":{"a":{"command":"x","shell":true}}}',
    '{"mcpServers":{"a":{"command":"x","env":{"A=B":"1"}}}}',
  ])
    await assert.rejects(load(t, content), SettingsError, content);
  assert.throws(() => loadMcpServers("/no/such/file", {}), SettingsError);

  const { checks } = openToolsForTest(t, { servers });
  assert.deepEqual(checks.findConfigFaults("mcp", { server: "files", remote_name: "read" }), []);
  const faults = (config: Record<string, unknown>): unknown[] =>
    checks.findConfigFaults("mcp", { remote_name: "read", ...config }).map(({ path }) => path);
  assert.deepEqual(faults({ server: "other" }), ["server"]);
  assert.equal(faults({ server: "files", url: "https://example.com" }).length, 1);
  assert.equal(faults({ server: "files", command: "sh" }).length, 1);
});
