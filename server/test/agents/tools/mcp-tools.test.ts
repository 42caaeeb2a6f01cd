import assert from "node:assert/strict";
import { createServer } from "node:https";
import { test } from "node:test";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { McpPool } from "../../../src/agents/tools/mcp/mcp-pool.ts";
import { ServerPrograms } from "../../../src/agents/tools/mcp/server-programs.ts";
import type { ToolOutcome } from "../../../src/agents/tools/tool-port.ts";
import { openGuardedFetch } from "../../../src/outbound/index.ts";
import { authority, credential, loopbackPolicy, until } from "../../outbound/support/receiver.ts";
import { findFreePort } from "../../support/free-port.ts";
import { assignedTool, callContext } from "./assigned-tool.ts";
import { listen, modernServer, sessionServer, stop } from "./mcp-server-for-test.ts";
import { openToolsForTest, wrapped } from "./open-tools-for-test.ts";

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
  const first = sessionServer(createServerOfTools);
  const port = await listen(t, first, await findFreePort());
  const tools = openToolsForTest(t);
  const config = { url: `https://127.0.0.1:${port}/mcp`, remote_name: "get.weather" };
  const call = (): Promise<ToolOutcome> =>
    tools.run(assignedTool({ kind: "mcp", config }), { city: "Bonn" }, callContext());
  assert.equal(codeOf(await call()), "succeeded");
  assert.equal(codeOf(await call()), "succeeded");
  await stop(first);
  assert.equal(codeOf(await call()), "TOOL_UNREACHABLE");
  const second = sessionServer(createServerOfTools);
  await listen(t, second, port);
  assert.equal(codeOf(await call()), "succeeded");
  await stop(second);
  // The pooled connection now gets an unknown session error.
  await listen(t, sessionServer(createServerOfTools), port);
  const again = await call();
  assert.ok(again.status === "succeeded");
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

test("connections are shared within one owner, limited in number, and closed when idle", async (t) => {
  const port = await listen(t, modernServer(createServerOfTools));
  const guarded = openGuardedFetch({
    policy: loopbackPolicy,
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    exemptUrls: [],
  });
  const programs = new ServerPrograms({ servers: new Map(), onEnded: () => {} });
  const pool = new McpPool({ guarded, version: "test", maxClients: 2, idleMs: 50, programs, onExcluded: () => {} });
  t.after(async () => {
    await pool.close();
    await guarded.close();
  });
  const { signal } = new AbortController();
  const borrow = (ownerId: string, headers = {}) =>
    pool.borrow({ ownerId, url: `https://127.0.0.1:${port}/`, headers }, signal);
  const [mine, mineToo, yours] = await Promise.all([borrow("a"), borrow("a"), borrow("b")]);
  assert.equal(mine.client, mineToo.client);
  assert.notEqual(mine.client, yours.client);
  const other = await borrow("a", { authorization: "x" });
  assert.notEqual(other.client, mine.client);
  assert.equal(pool.size, 2);
  for (const loan of [mine, mineToo, yours, other]) loan.release(true);
  await until(() => pool.size === 0);
});
