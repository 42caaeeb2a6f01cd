import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type JSONRPCMessage, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import {
  type AssignedTool,
  type ToolAsking,
  type ToolWaiting,
  type ToolOutcome,
  type ToolResponse,
  openGuardedFetch,
  assignedTool,
  callContext,
  authority,
  loopbackPolicy,
  type TestTools,
} from "../../../server/test/support/tool-stage.ts";
import { HeldCalls } from "../src/questions/held-calls.ts";
import { McpPool } from "../src/sessions/mcp-pool.ts";
import { runMcpTool } from "../src/run-mcp-tool.ts";
import { ServerPrograms } from "../src/sessions/server-programs.ts";
import { until } from "../../../server/test/support/until.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { type SessionOptions, sessionServer } from "./support/mcp-server.ts";
import { NO_ACCOUNTS, NOBODY, openToolsForTest, SESSION_LIMITS } from "./support/open-tools.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

interface Shop {
  readonly url: string;
  /** The number of calls that the shop was told to cancel. */
  cancelled(): number;
  started(): number;
}

/** Speaks an older revision of the protocol: asks for a size and a colour within the call. */
async function openShop(t: TestContext, options?: SessionOptions): Promise<Shop> {
  let cancelled = 0;
  let started = 0;
  const create = (): McpServer => {
    const server = new McpServer({ name: "shop", version: "1" });
    const inputSchema = z.object({ item: z.string() });
    server.registerTool("order", { description: "Orders", inputSchema }, async ({ item }, { mcpReq }) => {
      started += 1;
      mcpReq.signal.addEventListener("abort", () => (cancelled += 1));
      const given: string[] = [];
      for (const property of ["size", "colour"]) {
        const { action, content } = await mcpReq.elicitInput({
          message: `Which ${property} of ${item}?`,
          requestedSchema: { type: "object", properties: { [property]: { type: "string" } } },
        });
        if (action !== "accept") return text(`no order: ${action}`);
        given.push(String(content?.[property]));
      }
      return text(`ordered ${[item, ...given].join(", ")}`);
    });
    return server;
  };
  const url = `https://127.0.0.1:${await listen(t, sessionServer(create, undefined, options))}/mcp`;
  return { url, cancelled: () => cancelled, started: () => started };
}

const orderTool = (url: string): AssignedTool => assignedTool({ kind: "mcp", config: { url, remote_name: "order" } });

type Asked = ToolAsking & { readonly held: NonNullable<ToolAsking["held"]> };

function requireAsked(outcome: ToolOutcome | ToolAsking | ToolWaiting): Asked {
  assert.ok(outcome.status === "asking" && outcome.held !== undefined, JSON.stringify(outcome));
  return outcome as Asked;
}

const ask = async (tools: TestTools, tool: AssignedTool, item = "shirt"): Promise<Asked> =>
  requireAsked(await tools.runAsking(tool, { item }, callContext({ executionId: randomUUID() })));

/** Continues the call as the run does, which has stored what the call asked. */
function answer(tools: TestTools, tool: AssignedTool, asked: Asked, response: ToolResponse, rounds = 1) {
  const { questions, held, state } = JSON.parse(JSON.stringify(asked)) as Asked;
  const responses = Object.fromEntries(questions.map(({ id }) => [id, response]));
  const answers = { state, held, responses, rounds };
  return tools.runAsking(tool, { item: "shirt" }, callContext({ executionId: randomUUID(), answers }));
}

const accept = (content: Record<string, string>): ToolResponse => ({ action: "accept", content });
const textOf = (outcome: ToolOutcome | ToolAsking | ToolWaiting): string =>
  outcome.status === "succeeded" ? outcome.text : JSON.stringify(outcome);

test("a server of an older revision asks within the call, and calls at the same time get their own answers", async (t) => {
  const shop = await openShop(t);
  const tools = openToolsForTest(t);
  const tool = orderTool(shop.url);
  const [shirt, hat] = await Promise.all([ask(tools, tool), ask(tools, tool, "hat")]);
  assert.deepEqual(
    [shirt, hat].map(({ questions }) => questions.map(({ message }) => message)),
    [["Which size of shirt?"], ["Which size of hat?"]],
  );
  assert.deepEqual(Object.keys(shirt.questions[0]?.schema["properties"] ?? {}), ["size"]);
  const colour = requireAsked(await answer(tools, tool, hat, accept({ size: "m" })));
  assert.equal(colour.questions[0]?.message, "Which colour of hat?");
  assert.equal(textOf(await answer(tools, tool, shirt, { action: "decline" })), "no order: decline");
  assert.equal(textOf(await answer(tools, tool, colour, accept({ colour: "red" }), 2)), "ordered hat, m, red");
  assert.equal(shop.started(), 2);

  const endless = await answer(tools, tool, await ask(tools, tool), accept({ size: "s" }), 10);
  assert.match(JSON.stringify(endless), /too many questions/);
  // Nobody can answer outside of a run.
  const outside = await tools.run(tool, { item: "shirt" }, callContext());
  assert.ok(outside.status === "failed" && outside.error.code === "TOOL_REMOTE_ERROR", JSON.stringify(outside));
});

/** Keeps the events of streams, so that clients can resume them. */
function createEventStore(): NonNullable<SessionOptions["eventStore"]> {
  const events: { readonly id: string; readonly streamId: string; readonly message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(streamId, message) {
      const id = `event-${events.length}`;
      events.push({ id, streamId, message });
      return id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const at = events.findIndex(({ id }) => id === lastEventId);
      const streamId = events[at]?.streamId ?? "";
      for (const event of events.slice(at + 1))
        if (event.streamId === streamId && Object.keys(event.message).length > 0) await send(event.id, event.message);
      return streamId;
    },
  };
}

test("another node continues a call whose server can resume streams, also after the first one has ended", async (t) => {
  const shop = await openShop(t, { eventStore: createEventStore() });
  const tool = orderTool(shop.url);
  const first = openToolsForTest(t);
  const size = await ask(first, tool);
  assert.ok(size.held.resumption !== null);
  await first.close();
  const second = openToolsForTest(t);
  const colour = requireAsked(await answer(second, tool, size, accept({ size: "m" })));
  assert.equal(colour.questions[0]?.message, "Which colour of shirt?");
  await second.close();
  const third = openToolsForTest(t);
  assert.equal(textOf(await answer(third, tool, colour, accept({ colour: "red" }), 2)), "ordered shirt, m, red");
  assert.deepEqual([shop.started(), shop.cancelled()], [1, 0]);
});

test("a call that no node can continue fails, and is not made a second time", async (t) => {
  const shop = await openShop(t);
  const tool = orderTool(shop.url);
  const asked = await ask(openToolsForTest(t), tool);
  const other = await answer(openToolsForTest(t), tool, asked, accept({ size: "m" }));
  assert.ok(other.status === "failed" && other.error.code === "TOOL_UNREACHABLE", JSON.stringify(other));
  assert.match(other.error.message, /called again/);
  assert.equal(shop.started(), 1);
});

test("a call is cancelled at the server when its run no longer waits for the answer", async (t) => {
  const shop = await openShop(t);
  const guarded = openGuardedFetch({
    policy: loopbackPolicy,
    ca: [authority.cert],
    connectionsPerOrigin: 8,
    exemptUrls: [],
  });
  const waiting = new Set<string>(["waits", "ended"]);
  const pool = new McpPool({
    fetch: guarded.fetch as unknown as typeof globalThis.fetch,
    version: "test",
    limits: SESSION_LIMITS,
    idleMs: 5,
    held: new HeldCalls({ newId: randomUUID, selectWaiting: async () => waiting, checkMs: 5 }),
    tokensOf: () => assert.fail("no tool has tokens"),
    programs: new ServerPrograms({ servers: new Map(), onEnded: () => {} }),
    onExcluded: () => {},
  });
  t.after(async () => {
    await pool.close();
    await guarded.close();
  });
  const { name, owner_id: ownerId, config } = orderTool(shop.url);
  const call = { name, ownerId, config, swarmId: null, input: { item: "shirt" }, secrets: {}, maxChars: 1_000 };
  for (const executionId of waiting) {
    const { signal } = new AbortController();
    const more = { maxRetries: 0, timeoutMs: 60_000, signal, traceparent: undefined, starter: NOBODY, executionId };
    await runMcpTool(pool, NO_ACCOUNTS, { ...call, ...more });
  }
  waiting.delete("ended");
  await until(() => shop.cancelled() >= 1, "the call is cancelled");
  await until(() => pool.size <= 1, "its session is closed");
  assert.deepEqual([shop.cancelled(), pool.size], [1, 1]);
});

/** Asks within a call. */
const ASKING = `
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
const server = new McpServer({ name: "asking", version: "1" });
server.registerTool("order", { description: "x" }, async ({ mcpReq }) => {
  const requestedSchema = { type: "object", properties: { size: { type: "string" } } };
  const { action, content } = await mcpReq.elicitInput({ message: "Which size?", requestedSchema });
  return { content: [{ type: "text", text: action + " " + content?.size + " " + process.pid }] };
});
await server.connect(new StdioServerTransport());
`;

test("a program asks within a call if its entry allows that, and each call has a process for itself", async (t) => {
  const entry = { command: process.execPath, args: ["--input-type=module", "-e", ASKING], env: {}, cwd: ROOT };
  const servers = new Map([
    ["asking", { ...entry, name: "asking", isForUsers: true, canAsk: true }],
    ["silent", { ...entry, name: "silent", isForUsers: true, canAsk: false }],
  ]);
  const tools = openToolsForTest(t, { servers });
  const toolOf = (server: string): AssignedTool =>
    assignedTool({ kind: "mcp", config: { server, remote_name: "order" } });
  const [first, second] = await Promise.all([ask(tools, toolOf("asking")), ask(tools, toolOf("asking"))]);
  assert.equal(first.questions[0]?.message, "Which size?");
  const answers = [
    textOf(await answer(tools, toolOf("asking"), second, accept({ size: "m" }))),
    textOf(await answer(tools, toolOf("asking"), first, accept({ size: "s" }))),
  ];
  const [[, , secondPid] = [], [, , firstPid] = []] = answers.map((words) => words.split(" "));
  assert.deepEqual(answers, [`accept m ${secondPid}`, `accept s ${firstPid}`]);
  assert.notEqual(firstPid, secondPid);
  const silent = await tools.runAsking(toolOf("silent"), {}, callContext({ executionId: randomUUID() }));
  assert.ok(silent.status === "failed" && silent.error.code === "TOOL_REMOTE_ERROR", JSON.stringify(silent));
});
