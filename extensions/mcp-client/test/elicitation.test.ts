import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { acceptedContent, inputRequired, inputResponse, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import {
  type ModelCall,
  type ModelEvent,
  openRunStage,
  type RunNode,
  type RunStage,
  assignedTool,
  callContext,
  type TestTools,
} from "../../../server/test/support/tool-stage.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { modernServer, sessionServer } from "./support/mcp-server.ts";
import { openToolsForTest } from "./support/open-tools.ts";
import { until } from "../../../server/test/support/until.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

const SIZE = z.object({ size: z.enum(["s", "m"]) });
const COLOUR = z.object({ colour: z.string() });
const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** Asks for a size and a colour, and then orders. */
function createShop(): McpServer {
  const server = new McpServer({ name: "shop", version: "1" });
  server.registerTool(
    "order",
    { description: "Orders", inputSchema: z.object({ item: z.string() }), outputSchema: z.object({}).loose() },
    async ({ item }, { mcpReq }) => {
      const { inputResponses: responses } = mcpReq;
      const first = inputResponse(responses, "size");
      if (first.kind === "missing")
        return inputRequired({
          inputRequests: {
            size: inputRequired.elicit({ message: `Which size of ${item}?`, requestedSchema: SIZE }),
            colour: inputRequired.elicit({ message: "Which colour?", requestedSchema: COLOUR }),
          },
          requestState: "state of the shop",
        });
      const size = acceptedContent(responses, "size", SIZE);
      const colour = acceptedContent(responses, "colour", COLOUR);
      const state = String(mcpReq.requestState());
      const text =
        size === undefined || colour === undefined
          ? `no order: ${inputResponse(responses, "size").kind}, ${inputResponse(responses, "colour").kind}`
          : `ordered ${item}, ${size.size}, ${colour.colour}`;
      return { ...answer(`${text} (${state})`), structuredContent: {} };
    },
  );
  server.registerTool("nag", { description: "Asks without end", inputSchema: z.object({}) }, async () =>
    inputRequired({ inputRequests: { a: inputRequired.elicit({ message: "Again?", requestedSchema: z.object({}) }) } }),
  );
  return server;
}

/** Of an older revision: asks within the call. */
function createOldShop(): McpServer {
  const server = new McpServer({ name: "shop", version: "1" });
  server.registerTool("order", { description: "Orders", inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    const given = await mcpReq.elicitInput({
      message: "Which size?",
      requestedSchema: { type: "object", properties: { size: { type: "string" } } },
    });
    return answer(`${given.action} ${String(given.content?.["size"])}`);
  });
  return server;
}

async function openShop(t: TestContext): Promise<{ readonly tools: TestTools; readonly url: string }> {
  return { tools: openToolsForTest(t), url: `https://127.0.0.1:${await listen(t, modernServer(createShop))}/mcp` };
}

test("a tool asks only where a run can wait", async (t) => {
  const { tools, url } = await openShop(t);
  const call = (remote_name: string, context: object) =>
    tools.runAsking(
      assignedTool({ kind: "mcp", config: { url, remote_name } }),
      { item: "shirt" },
      callContext(context),
    );
  const asked = await call("order", { executionId: "x" });
  assert.ok(asked.status === "asking", JSON.stringify(asked));
  assert.deepEqual(
    asked.questions.map(({ id, message }) => [id, message]),
    [
      ["size", "Which size of shirt?"],
      ["colour", "Which colour?"],
    ],
  );
  assert.deepEqual(asked.questions[0]?.schema["required"], ["size"]);
  // Also after the list of tools, which has an output schema, is known.
  await tools.listRemote({ callerId: assignedTool().owner_id, server: { url, secrets: {} } });
  assert.equal((await call("order", { executionId: "x" })).status, "asking");
  const outside = await call("order", {});
  assert.ok(outside.status === "failed" && outside.error.code === "TOOL_REMOTE_ERROR", JSON.stringify(outside));
  const endless = await call("nag", { executionId: "x", answers: { state: null, responses: {}, rounds: 10 } });
  assert.ok(endless.status === "failed" && /too many questions/.test(endless.error.message));
});

const USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 0, isEstimated: false };

/** Calls the tool once, and then repeats its result. */
async function* model({ framework, messages }: ModelCall): AsyncGenerator<ModelEvent> {
  yield { type: "start", framework, model: "scripted", attempt: 1 };
  const result = messages.findLast(({ role }) => role === "tool");
  if (result?.role === "tool") yield { type: "text", delta: result.output };
  else yield { type: "tool_call", call: { id: "c1", name: "order", inputText: '{"item":"shirt"}' } };
  yield { type: "finish", reason: result === undefined ? "tool_calls" : "stop", usage: USAGE };
}

interface Pending {
  readonly tool_execution_id: string;
  readonly input?: unknown;
  readonly question?: { readonly id: string; readonly message: string; readonly schema: unknown };
}

interface Order {
  readonly runId: string;
  readonly ownerId: string;
  pending(viewerId?: string): Promise<Pending | undefined>;
  decide(decision: object): Promise<unknown>;
  /** The text of the agent. */
  end(): Promise<string>;
}

async function startOrder(t: TestContext, approvalTtlMs = 60_000): Promise<Order> {
  const { tools, url } = await openShop(t);
  return placeOrder(url, () => stage.node({ script: model, tools: { run: tools.runAsking }, approvalTtlMs }));
}

async function placeOrder(url: string, open: () => RunNode): Promise<Order> {
  const swarm = await stage.newSwarm({ agents: ["Ada"] });
  const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "order", { kind: "mcp" });
  await stage.sql.query("update public.tools set config = $2 where id = $1", [toolId, { url, remote_name: "order" }]);
  const runId = await stage.ask(swarm);
  await open().take(runId);
  const pending = async (viewerId = swarm.ownerId): Promise<Pending | undefined> => {
    const [row] = await stage.rows<{ body: { pending_approvals: Pending[] | null } }>(
      "select private.render_run($1, $2) as body",
      [runId, viewerId],
    );
    return row?.body.pending_approvals?.[0];
  };
  return {
    runId,
    ownerId: swarm.ownerId,
    pending,
    async decide(decision) {
      const decisions = [{ tool_execution_id: (await pending())?.tool_execution_id, ...decision }];
      const call = { run_id: runId, user_id: swarm.ownerId, is_service: false, decisions };
      return stage.sql.query("select private.decide_tool_executions($1)", [JSON.stringify(call)]);
    },
    async end() {
      // Another node continues.
      open().start();
      await stage.end(runId);
      return (await stage.texts(runId))[0]?.content ?? "";
    },
  };
}

const isWaiting = async ({ runId, pending }: Order, message: string): Promise<void> =>
  until(
    async () =>
      (await stage.run(runId)).status === "requires_action" && (await pending())?.question?.message === message,
    `the run asks: ${message}`,
  );

test("a question of a tool is a pending approval, and its answer continues the call on another node", async (t) => {
  const order = await startOrder(t);
  await isWaiting(order, "Which size of shirt?");
  const asked = await order.pending();
  assert.deepEqual(asked?.input, { item: "shirt" });
  assert.deepEqual(asked?.question?.id, "size");
  const stranger = await order.pending(await stage.newUser());
  assert.deepEqual(Object.keys(stranger ?? {}), ["tool_execution_id", "tool_name", "agent_id", "expires_at"]);
  await assert.rejects(order.decide({ approved: false, content: { size: "m" } }), /VALIDATION_ERROR/);
  await order.decide({ approved: true, content: { size: "m" } });
  const ended = order.end();
  await isWaiting(order, "Which colour?");
  await order.decide({ approved: true, content: { colour: "blue" } });
  assert.equal(await ended, "ordered shirt, m, blue (state of the shop)");
  const rows = await stage.rows(
    `select x.status, x.decided_by = $2 as is_decided, p.question ->> 'message' as question, p.answer
     from public.tool_executions x join public.tool_execution_payloads p on p.tool_execution_id = x.id
     where x.run_id = $1`,
    [order.runId, order.ownerId],
  );
  assert.deepEqual(rows, [{ status: "succeeded", is_decided: true, question: "Which colour?", answer: null }]);
});

test("a declined question reaches the tool", async (t) => {
  const declined = await startOrder(t);
  await isWaiting(declined, "Which size of shirt?");
  await declined.decide({ approved: false, reason: "not today" });
  assert.match(await declined.end(), /^no order: /);
});

test("a question that nobody answers in time ends the call", async (t) => {
  const expired = await startOrder(t, 1);
  await until(async () => (await stage.run(expired.runId)).status === "requires_action", "the run waits");
  assert.match(await expired.end(), /APPROVAL_EXPIRED/);
});

test("the node on which a server of an older revision asked continues the call", async (t) => {
  const url = `https://127.0.0.1:${await listen(t, sessionServer(createOldShop))}/mcp`;
  const tools = openToolsForTest(t);
  const holder = stage.node({ script: model, tools: { run: tools.runAsking } });
  const order = await placeOrder(url, () => holder);
  await isWaiting(order, "Which size?");
  const others = openToolsForTest(t);
  const other = stage.node({ script: model, tools: { run: others.runAsking } });
  other.start();
  await order.decide({ approved: true, content: { size: "m" } });
  other.executor.wake();
  assert.equal(await order.end(), "accept m");
});
