import assert from "node:assert/strict";
import { createServer } from "node:https";
import { type TestContext, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import {
  type ToolOutcome,
  openGuardedFetch,
  assignedTool,
  callContext,
  createAddressPolicy,
  startReceiver,
  authority,
  credential,
  loopbackPolicy,
  wrapped,
} from "../../../server/test/support/tool-stage.ts";
import { type McpLoan, McpPool, type McpPoolOptions } from "../src/sessions/mcp-pool.ts";
import { ServerPrograms } from "../src/sessions/server-programs.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { modernServer, sessionHandler } from "./support/mcp-server.ts";
import { NO_HELD_CALLS, openToolsForTest, SESSION_LIMITS } from "./support/open-tools.ts";
import { until } from "../../../server/test/support/until.ts";

/** A real server with correct and faulty tools. */
function createServerOfTools(
  seen: { traceparent?: unknown; isStarted?: boolean; isAborted?: boolean } = {},
): McpServer {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "get.weather",
    { description: "Weather of a city", inputSchema: z.object({ city: z.string() }) },
    async ({ city }, { mcpReq }) => {
      seen.traceparent = mcpReq._meta?.["traceparent"];
      return {
        content: [
          { type: "text", text: `sunny in ${city}` },
          { type: "image", data: "AAAA", mimeType: "image/png" },
        ],
      };
    },
  );
  server.registerTool("fails", { description: "Fails", inputSchema: z.object({}) }, async () => ({
    content: [{ type: "text", text: "no such city" }],
    isError: true,
  }));
  server.registerTool("huge", { description: "Too much", inputSchema: z.object({}) }, async () => ({
    content: [{ type: "text", text: "x".repeat(9_000_000) }],
  }));
  server.registerTool("slow", { description: "Never ends", inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    seen.isStarted = true;
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve, { once: true }));
    seen.isAborted = true;
    return { content: [] };
  });
  return server;
}

function codeOf(outcome: ToolOutcome): string {
  return outcome.status === "failed" ? outcome.error.code : outcome.status;
}

test("tools of an MCP server are listed and called with their secrets and the traceparent", async (t) => {
  const authorizations: (string | undefined)[] = [];
  const seen: { traceparent?: unknown } = {};
  const port = await listen(
    t,
    modernServer(
      () => createServerOfTools(seen),
      ({ headers }) => void authorizations.push(headers.authorization),
    ),
  );
  const tools = openToolsForTest(t);
  const url = `https://127.0.0.1:${port}/mcp`;
  const listed = await tools.listRemote({ callerId: "someone", server: { url, secrets: { token: "t0ken-value" } } });
  assert.deepEqual(listed.map(({ name }) => name).toSorted(), ["fails", "get.weather", "huge", "slow"]);
  assert.deepEqual(listed.find(({ name }) => name === "get.weather")?.input_schema["required"], ["city"]);
  assert.ok(authorizations.length > 0 && authorizations.every((value) => value === "Bearer t0ken-value"));

  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const call = (remote_name: string, input = {}, configuration = {}, context = {}): Promise<ToolOutcome> => {
    const base = assignedTool({ kind: "mcp", configuration });
    const config = { url, remote_name, auth: { type: "bearer", secret: "token" } };
    const tool = { ...base, config, secrets_wrapped: wrapped(base.id, { token: "t0ken-value" }) };
    return tools.run(tool, input, callContext(context));
  };
  const weather = await call("get.weather", { city: "Rome" }, {}, { traceparent });
  assert.ok(weather.status === "succeeded");
  assert.equal(weather.text, "sunny in Rome\n[image image/png, 3 bytes, not shown]");
  assert.equal(seen.traceparent, traceparent);

  const failed = await call("fails");
  assert.ok(failed.status === "failed");
  assert.deepEqual(
    [failed.error.code, failed.error.message, failed.text],
    ["TOOL_REMOTE_ERROR", "The tool reported an error.", "no such city"],
  );
  assert.equal(codeOf(await call("unknown")), "TOOL_REMOTE_ERROR");
  assert.equal(codeOf(await call("get.weather", { city: 5 })), "TOOL_REMOTE_ERROR");
  assert.notEqual(codeOf(await call("huge")), "succeeded");
  // The next call succeeds after any failure.
  assert.equal(codeOf(await call("get.weather", { city: "Oslo" })), "succeeded");
});

test("a timeout or a cancellation ends a call, also on the server", async (t) => {
  const seen: { isStarted?: boolean; isAborted?: boolean } = {};
  const port = await listen(
    t,
    modernServer(() => createServerOfTools(seen)),
  );
  const tools = openToolsForTest(t);
  const config = { url: `https://127.0.0.1:${port}/mcp`, remote_name: "slow" };
  // So that the timeout applies to the call and not to the connection.
  await tools.run(assignedTool({ kind: "mcp", config: { ...config, remote_name: "fails" } }), {}, callContext());
  const late = await tools.run(
    assignedTool({ kind: "mcp", config, configuration: { timeout_ms: 1_000 } }),
    {},
    callContext(),
  );
  assert.equal(late.status, "timed_out");
  await until(() => seen.isAborted === true);
  Object.assign(seen, { isStarted: false, isAborted: false });
  const stopping = new AbortController();
  const running = tools.run(assignedTool({ kind: "mcp", config }), {}, callContext({ signal: stopping.signal }));
  await until(() => seen.isStarted === true);
  stopping.abort();
  assert.equal((await running).status, "cancelled");
  await until(() => seen.isAborted === true);
});

test("a restarted server with sessions is reconnected once", async (t) => {
  // The port stays open: while nothing listens on it, it could become that of another program.
  let handle = sessionHandler(createServerOfTools);
  const port = await listen(
    t,
    createServer(credential, (request, response) => handle(request, response)),
  );
  const tools = openToolsForTest(t);
  const config = { url: `https://127.0.0.1:${port}/mcp`, remote_name: "get.weather" };
  const call = (): Promise<ToolOutcome> =>
    tools.run(assignedTool({ kind: "mcp", config, timeout_ms: WAIT_MS }), { city: "Bonn" }, callContext());
  assert.equal(codeOf(await call()), "succeeded");
  assert.equal(codeOf(await call()), "succeeded");
  handle = (request) => void request.socket.destroy();
  assert.equal(codeOf(await call()), "TOOL_UNREACHABLE");
  handle = sessionHandler(createServerOfTools);
  assert.equal(codeOf(await call()), "succeeded");
  // The pooled session is unknown to the restarted server.
  handle = sessionHandler(createServerOfTools);
  const again = await call();
  assert.ok(again.status === "succeeded", JSON.stringify(again));
});

test("each kind of failing server has its own error", async (t) => {
  const answers: Record<string, [number, string]> = {
    "/page": [200, "<html>"],
    "/secret": [401, "who are you"],
    "/down": [503, "later"],
    "/none": [404, "nothing here"],
  };
  const server = createServer(credential, (request, response) => {
    const [status, text] = answers[request.url ?? ""] ?? [500, ""];
    response.writeHead(status, { "content-type": "text/html" }).end(text);
  });
  const port = await listen(t, server);
  const tools = openToolsForTest(t);
  const codes: string[] = [];
  for (const path of Object.keys(answers)) {
    const config = { url: `https://127.0.0.1:${port}${path}`, remote_name: "x" };
    codes.push(codeOf(await tools.run(assignedTool({ kind: "mcp", config }), {}, callContext())));
  }
  assert.deepEqual(codes, ["TOOL_REMOTE_ERROR", "TOOL_HTTP_ERROR", "TOOL_HTTP_ERROR", "TOOL_HTTP_ERROR"]);
});

test("servers at addresses that webhooks must not reach are not connected, and a faulty configuration reports TOOL_UNUSABLE", async (t) => {
  const receiver = await startReceiver(t);
  const tools = openToolsForTest(t, { policy: createAddressPolicy({ allowedCidrs: [] }) });
  const call = async (config: Record<string, unknown>): Promise<string> =>
    codeOf(await tools.run(assignedTool({ kind: "mcp", config }), {}, callContext()));
  for (const host of ["127.0.0.1", "[::1]", "2130706433", "localhost", "hooks.example.com", "10.0.0.1"]) {
    const url = `https://${host}:${receiver.port}/`;
    assert.equal(await call({ url, remote_name: "x" }), "TOOL_BLOCKED", url);
  }
  assert.equal(receiver.accepted, 0);
  for (const config of [
    { url: "https://a.example.com/" },
    { url: "https://a.example.com/{x}", remote_name: "x" },
    { url: "http://a.example.com/", remote_name: "x" },
    { server: "unknown", remote_name: "x" },
    { url: "https://a.example.com/", remote_name: "x", auth: { type: "bearer", secret: "absent" } },
  ])
    assert.equal(await call(config), "TOOL_UNUSABLE", JSON.stringify(config));
});

test("sessions are shared within one owner and closed when idle", async (t) => {
  const port = await listen(t, modernServer(createServerOfTools));
  const { pool, borrow } = openPool(t, { idleMs: 50 });
  const url = `https://127.0.0.1:${port}/`;
  const [mine, mineToo, yours] = await Promise.all([borrow("a", url), borrow("a", url), borrow("b", url)]);
  assert.equal(mine.client, mineToo.client);
  assert.notEqual(mine.client, yours.client);
  const other = await borrow("a", url, { authorization: "x" });
  assert.notEqual(other.client, mine.client);
  assert.equal(pool.size, 3);
  for (const loan of [mine, mineToo, yours, other]) loan.release(true);
  await until(() => pool.size === 0);
});

test("sessions are limited per user, per server and per node: idle ones are closed, and further calls wait", async (t) => {
  const ports = await Promise.all([1, 2, 3].map(() => listen(t, modernServer(createServerOfTools))));
  const [first = "", second = "", third = ""] = ports.map((port) => `https://127.0.0.1:${port}`);
  const limits = { perNode: 4, perServer: 3, perUser: 2 };
  const { pool, borrow } = openPool(t, { idleMs: 60_000, limits });
  const isWaiting = async (loan: Promise<McpLoan>): Promise<boolean> => {
    let isDone = false;
    void loan.then(() => (isDone = true));
    // A session on loopback would be open by then: a further one of another user is.
    (await borrow("z", `${third}/${Math.random()}`)).release(false);
    return !isDone;
  };

  // Per user: other paths of a server are other sessions.
  const one = await borrow("a", `${first}/1`);
  const two = await borrow("a", `${first}/2`);
  const waiting = borrow("a", `${second}/3`);
  assert.ok(await isWaiting(waiting));
  assert.equal((await borrow("a", `${first}/1`)).client, one.client, "a known session needs no room");
  two.release(true);
  const three = await waiting;
  assert.equal(pool.size, 2, "the idle session was closed for it");

  // Per server.
  const four = await borrow("b", `${first}/1`);
  const five = await borrow("c", `${first}/1`);
  assert.equal(pool.size, 4);
  three.release(true);
  const blocked = borrow("d", `${first}/1`);
  await assert.rejects(borrow("d", `${first}/2`, {}, AbortSignal.timeout(20)), { name: "TimeoutError" });
  assert.equal(pool.size, 4, "a call that gave up holds nothing, and other servers keep their sessions");
  four.release(false);
  const six = await blocked;

  // Per node.
  const seven = await borrow("e", `${third}/1`);
  assert.equal(pool.size, 4, "the idle session of another server was closed");
  await assert.rejects(borrow("f", `${third}/1`, {}, AbortSignal.timeout(20)), { name: "TimeoutError" });
  for (const loan of [five, six, seven]) loan.release(true);
  assert.ok(await borrow("f", `${third}/1`));
  await pool.close();
  assert.equal(pool.size, 0);
});

interface TestPool {
  readonly pool: McpPool;
  borrow(ownerId: string, url: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<McpLoan>;
}

function openPool(t: TestContext, options: Pick<McpPoolOptions, "idleMs"> & Partial<McpPoolOptions>): TestPool {
  const guarded = openGuardedFetch({
    policy: loopbackPolicy,
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    exemptUrls: [],
  });
  const programs = new ServerPrograms({ servers: new Map(), onEnded: () => {} });
  const pool = new McpPool({
    fetch: guarded.fetch as unknown as typeof globalThis.fetch,
    version: "test",
    limits: SESSION_LIMITS,
    tokensOf: () => assert.fail("no tool has tokens"),
    held: NO_HELD_CALLS,
    programs,
    onExcluded: () => {},
    ...options,
  });
  t.after(async () => {
    await pool.close();
    await guarded.close();
  });
  const borrow: TestPool["borrow"] = (ownerId, url, headers = {}, signal = new AbortController().signal) =>
    pool.borrow({ ownerId, url, headers, tokens: null }, signal);
  return { pool, borrow };
}
