import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, mock, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type BaseEvent, HttpAgent, type RunAgentParameters } from "@ag-ui/client";
import type { SwarmUIMessage } from "@swarmbase/sdk/ai";
import { type ChatOnToolCallCallback, DefaultChatTransport } from "ai";
import { Agent, fetch as fetchWith } from "undici";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { TestChat, waitForEnd } from "./support/test-chat.ts";

const EXTENSION = fileURLToPath(new URL("../src/index.ts", import.meta.url));
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ServiceHere;
let send: typeof fetch;
let ada: string;
let bob: string;
let agentId: string;
let swarmId: string;

async function call<T>(path: string, bearer: string | null, body?: unknown, accept = "application/json"): Promise<T> {
  const response = await send(new URL(path, service.credentials.url), {
    method: body === undefined ? "GET" : "POST",
    headers: {
      apikey: service.credentials.anon_key,
      accept,
      prefer: "return=representation",
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}
const insert = async (table: string, row: object): Promise<string> =>
  (await call<{ id: string }[]>(`/rest/v1/${table}`, ada, row))[0]?.id ?? "";
const signUp = async (email: string): Promise<string> =>
  (await call<{ access_token: string }>("/auth/v1/signup", null, { email, password: "correct horse battery" }))
    .access_token;
const makeKey = async (...scopes: string[]): Promise<string> =>
  (await call<{ key: string }>("/functions/v1/api-keys", ada, { action: "create", name: "n", scopes })).key;

before(async () => {
  // The client logs each error that it throws.
  const logged = mock.method(console, "error", () => {});
  closers.unshift(async () => logged.mock.restore());
  const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-ag-ui-");
  const env = {
    DATABASE_URL,
    MASTER_KEY,
    EXTENSIONS: EXTENSION,
    PROVIDER_A_KIND: "simulated",
  };
  service = await startServiceHere(cleanup, { dataDir, env });
  const dispatcher = new Agent({ connect: { ca: readFileSync(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.destroy());
  send = ((url: string | URL, init: object) => fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch;
  [ada, bob] = [await signUp("ada@example.com"), await signUp("bob@example.com")];
  agentId = await insert("agents", { name: "Ann" });
  swarmId = await insert("swarms", { name: "Room" });
  await insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  const [calculator] = await call<{ id: string }[]>("/rest/v1/tools?name=eq.calculator&select=id", ada);
  const guarded = await insert("tools", {
    name: "guarded",
    description: "Asks whether the service is healthy.",
    requires_approval: true,
    config: { url: new URL("/health", service.credentials.url.replace("127.0.0.1", "localhost")).href },
  });
  for (const tool_id of [calculator?.id, guarded]) await insert("agent_tools", { agent_id: agentId, tool_id });
});
after(async () => {
  for (const close of closers) await close();
});

const LOCATE = {
  name: "locate",
  description: "Returns the position of the user.",
  parameters: { type: "object", properties: { n: { type: "integer" } } },
};

function openAgent(path = `/ag-ui/agents/${agentId}`, bearer = ada): HttpAgent {
  const url = new URL(path, service.credentials.url).href;
  return new HttpAgent({ url, headers: { authorization: `Bearer ${bearer}` }, fetch: send });
}

type Seen = BaseEvent & Record<string, unknown>;

/** Adds a message and runs the agent. Returns the events. */
async function ask(agent: HttpAgent, text: string | null, parameters: RunAgentParameters = {}): Promise<Seen[]> {
  const events: Seen[] = [];
  if (text !== null) agent.addMessage({ id: randomUUID(), role: "user", content: text });
  await agent.runAgent(parameters, { onEvent: ({ event }) => void events.push(event) });
  return events;
}

const outcomeOf = (events: readonly Seen[]): Record<string, unknown> =>
  (events.find(({ type }) => type === "RUN_FINISHED")?.["outcome"] ?? {}) as Record<string, unknown>;
const lastText = (agent: HttpAgent): string =>
  JSON.stringify(agent.messages.findLast(({ role }) => role === "assistant")?.content);

describe("AG-UI", () => {
  test("streams the answer of an agent with an API key, and of a swarm with a token", async () => {
    for (const agent of [openAgent(undefined, await makeKey("run")), openAgent(`/ag-ui/swarms/${swarmId}`)]) {
      const events = await ask(agent, "Hello");
      assert.deepEqual(
        [...new Set(events.map(({ type }) => type))],
        [
          "RUN_STARTED",
          "STEP_STARTED",
          "TEXT_MESSAGE_START",
          "TEXT_MESSAGE_CONTENT",
          "TEXT_MESSAGE_END",
          "STEP_FINISHED",
          "RUN_FINISHED",
        ],
      );
      assert.equal(outcomeOf(events)["type"], "success");
      const { run_id } = (events.at(-1)?.["result"] ?? {}) as { run_id?: string };
      const [stored] = await call<{ content: string }[]>(
        `/rest/v1/messages?run_id=eq.${run_id}&sender_type=eq.agent`,
        ada,
      );
      assert.equal(lastText(agent), JSON.stringify(stored?.content));
    }
  });

  const post = (accept: string, runId: string = randomUUID()): Promise<Response> =>
    send(new URL(`/ag-ui/agents/${agentId}`, service.credentials.url), {
      method: "POST",
      headers: { authorization: `Bearer ${ada}`, "content-type": "application/json", accept },
      body: JSON.stringify({ threadId: "t", runId, messages: [{ id: "m", role: "user", content: "Hello" }] }),
    });

  test("sends text to a client that accepts everything, or protocol buffers not at all", async () => {
    const { AGUI_MEDIA_TYPE } = await import("@ag-ui/encoder");
    for (const accept of ["*/*", "application/*", "text/event-stream, */*;q=0.1", `*/*, ${AGUI_MEDIA_TYPE};q=0`]) {
      const response = await post(accept);
      assert.match(String(response.headers.get("content-type")), /^text\/event-stream/, accept);
      assert.match(await response.text(), /"type":"RUN_FINISHED"/);
    }
  });

  test("sends the same events as protocol buffers to a client that accepts them", async () => {
    const { AGUI_MEDIA_TYPE, EventEncoder } = await import("@ag-ui/encoder");
    const runId = randomUUID();
    const response = await post(`text/event-stream, ${AGUI_MEDIA_TYPE}`, runId);
    assert.equal(response.headers.get("content-type"), AGUI_MEDIA_TYPE);
    const started = { type: "RUN_STARTED", threadId: "t", runId, protocolVersion: "1.0" };
    const first = Buffer.from(new EventEncoder({ accept: AGUI_MEDIA_TYPE }).encodeBinary(started as never));
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.deepEqual(bytes.subarray(0, first.length), first);
    assert.ok(bytes.length > first.length);
  });

  test("shows tool calls, and waits for tools of the client", async () => {
    const agent = openAgent();
    const text = '/tool calculator {"expression":"6 * 7"} /tool locate {"n":1}\n/tool locate {"n":2}';
    const events = await ask(agent, text, { tools: [LOCATE] });
    const results = events.filter(({ type }) => type === "TOOL_CALL_RESULT");
    assert.deepEqual(
      results.map(({ content }) => content),
      ["42"],
    );
    for (const n of [1, 2]) {
      const call_ = agent.messages
        .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
        .at(-1);
      assert.deepEqual([call_?.function.name, call_?.function.arguments], ["locate", `{"n":${n}}`]);
      if (n === 1) assert.deepEqual(outcomeOf(events), { type: "success", pendingToolCallIds: [call_?.id] });
      agent.addMessage({
        id: randomUUID(),
        role: "tool",
        toolCallId: call_?.id ?? "",
        content: `{"city":"Delft ${n}"}`,
      });
      const more = await ask(agent, null, { tools: [LOCATE] });
      assert.deepEqual(
        more.filter(({ type }) => type === "TOOL_CALL_RESULT"),
        [],
        "the client has the result",
      );
      assert.equal(more.filter(({ type }) => type === "TOOL_CALL_START").length, n === 1 ? 1 : 0);
    }
    assert.match(lastText(agent), /Delft 2/);
    agent.setMessages(agent.messages.slice(0, agent.messages.findLastIndex(({ role }) => role === "tool") + 1));
    await assert.rejects(ask(agent, null), /409.*TOOL_RESULT_SUBMITTED/s);
  });

  for (const approved of [true, false])
    test(`interrupts for an approval, and continues when it is ${approved ? "given" : "denied"}`, async () => {
      const agent = openAgent();
      const events = await ask(agent, "/tool guarded {}");
      const [interrupt] = outcomeOf(events)["interrupts"] as { id: string; reason: string }[];
      assert.equal(interrupt?.reason, "tool_approval");
      const id = interrupt?.id ?? "";
      const resume = [{ interruptId: id, status: "resolved" as const, payload: { approved } }];
      const denied = openAgent(undefined, await makeKey("read", "run"));
      denied.setMessages(agent.messages);
      await assert.rejects(ask(denied, null, { resume }), /403.*INSUFFICIENT_SCOPE/s);
      const more = await ask(agent, null, { resume });
      assert.equal(outcomeOf(more)["type"], "success");
      assert.deepEqual(
        more.filter(({ type }) => type === "TOOL_CALL_START"),
        [],
        "the call is known",
      );
      const [result] = more.filter(({ type }) => type === "TOOL_CALL_RESULT");
      assert.match(String(result?.["content"]), approved ? /"status"/ : /TOOL_DENIED/);
    });

  test("ends where the run waits for a signal", async () => {
    const [tool] = await call<{ id: string }[]>("/rest/v1/tools?name=eq.wait_for_event&select=id", ada);
    await insert("agent_tools", { agent_id: agentId, tool_id: tool?.id });
    const events = await ask(openAgent(), '/tool wait_for_event {"name":"go","seconds":3600}');
    const { outcome, result } = events.at(-1) as unknown as { outcome: object; result: Record<string, unknown> };
    assert.deepEqual(outcome, { type: "success", pendingToolCallIds: [] });
    assert.deepEqual([result["status"], (result["pending_waits"] as { name: string }[])[0]?.name], ["waiting", "go"]);
    await call("/functions/v1/agent-respond", ada, { action: "cancel", run_id: result["run_id"] });
  });

  test("ends with an error of the run, and with its cancellation", async () => {
    const failing = await ask(openAgent(), "/fail 5xx");
    assert.deepEqual([failing.at(-1)?.type, failing.at(-1)?.["code"]], ["RUN_ERROR", "PROVIDER_OVERLOADED"]);
    const agent = openAgent();
    const cancelling = agent.runAgent.bind(agent);
    const events: Seen[] = [];
    agent.addMessage({ id: randomUUID(), role: "user", content: "/sleep 60000" });
    await cancelling(
      {},
      {
        onEvent: ({ event }) => void events.push(event),
        async onStepStartedEvent() {
          const [run] = await call<{ id: string }[]>("/rest/v1/runs?status=eq.running&select=id", ada);
          await call("/functions/v1/agent-respond", ada, { action: "cancel", run_id: run?.id });
        },
      },
    );
    assert.deepEqual(outcomeOf(events), { type: "cancelled" });
  });

  test("rejects callers and bodies before it streams, with the code of the service", async () => {
    const cases: [HttpAgent, string, RegExp][] = [
      [openAgent(undefined, await makeKey("write")), "Hi", /403.*INSUFFICIENT_SCOPE/s],
      [openAgent(undefined, service.credentials.anon_key), "Hi", /401.*UNAUTHORIZED/s],
      [openAgent(undefined, bob), "Hi", /403.*PERMISSION_DENIED|404.*AGENT_NOT_FOUND/s],
      [openAgent(`/ag-ui/swarms/${swarmId}`, bob), "Hi", /403.*FORBIDDEN/s],
      [openAgent("/ag-ui/agents/nobody"), "Hi", /400.*agent_id/s],
      [openAgent(), "", /400.*message/s],
    ];
    for (const [agent, text, error] of cases) await assert.rejects(ask(agent, text), error);
    const stolen = openAgent(undefined, bob);
    const [execution] = await call<{ id: string }[]>("/rest/v1/tool_executions?select=id&limit=1", ada);
    stolen.addMessage({ id: "t", role: "tool", toolCallId: execution?.id ?? "", content: "mine" });
    await assert.rejects(ask(stolen, null), /404.*RUN_NOT_FOUND/s);
    const messages = [{ id: "m", role: "user", content: "Hello" }];
    for (const body of [
      {},
      { threadId: "t", runId: "r", messages: "x" },
      { threadId: "t", runId: "", messages: [] },
      { threadId: "t", runId: "zero\u0000byte", messages },
      { threadId: "t", runId: "half a \ud83d", messages },
    ])
      assert.equal((await call<{ code: string }>(`/ag-ui/agents/${agentId}`, ada, body)).code, "VALIDATION_ERROR");
  });

  test("returns the conversation of a swarm for a request without messages", async () => {
    const agent = openAgent(`/ag-ui/swarms/${swarmId}`);
    await ask(agent, null);
    const stored = await call<{ id: string }[]>(`/rest/v1/messages?swarm_id=eq.${swarmId}&select=id&order=seq`, ada);
    assert.ok(stored.length > 1);
    assert.deepEqual(
      agent.messages.map(({ id }) => id),
      stored.map(({ id }) => id),
    );
  });
});

/** A chat with the service of these tests. */
class PlainChat extends TestChat {
  constructor(path: string, bearer: string, onToolCall?: ChatOnToolCallCallback<SwarmUIMessage>, id?: string) {
    super({ api: new URL(path, service.credentials.url).href, bearer, fetch: send, onToolCall, id });
  }
}

describe("the message stream of the AI SDK", () => {
  test("has answers, approvals and tools of the client", async () => {
    const executed: unknown[] = [];
    const chat = new PlainChat(`/ai-sdk/agents/${agentId}`, ada, ({ toolCall: { toolName, toolCallId, input } }) => {
      executed.push(input);
      void chat.addToolOutput({ tool: toolName, toolCallId, output: { city: "Delft" } });
    });
    const client_tools = [{ name: "locate", description: LOCATE.description, input_schema: LOCATE.parameters }];
    await chat.sendMessage(
      { text: '/tool calculator {"expression":"6 * 7"} /tool locate {"n":1}' },
      { body: { client_tools } },
    );
    await waitForEnd(chat);
    assert.deepEqual([executed, chat.messages.at(-1)?.metadata?.status], [[{ n: 1 }], "completed"]);
    await chat.sendMessage({ text: "/tool guarded {}" });
    const waiting = chat.messages.at(-1)?.parts.find((part) => part.type === "dynamic-tool");
    assert.equal(waiting?.state, "approval-requested");
    await chat.addToolApprovalResponse({ id: waiting.approval.id, approved: false });
    await waitForEnd(chat);
    const denied = chat.messages.at(-1)?.parts.find((part) => part.type === "dynamic-tool");
    assert.equal(denied?.state, "output-denied");
  });

  test("replaces an answer and what followed in its own chat, although all chats with an agent share a swarm", async () => {
    const [first, second] = [0, 1].map(() => new PlainChat(`/ai-sdk/agents/${agentId}`, ada)) as [PlainChat, PlainChat];
    const word = randomUUID();
    await first.sendMessage({ text: `${word} one` });
    await second.sendMessage({ text: `${word} two` });
    await first.sendMessage({ text: `${word} three` });
    await first.regenerate({ messageId: first.messages[0]?.id ?? "" });
    assert.deepEqual([first.error, first.messages.length], [undefined, 2]);
    const runIds = [first, second].map((chat) => chat.messages.at(-1)?.metadata?.runId);
    const questions = await call<{ content: string; runs: { id: string; answers: unknown[] }[] }[]>(
      `/rest/v1/messages?content=like.${word}*&order=seq&select=content,` +
        "runs!runs_message_id_fkey(id,answers:messages!messages_run_id_fkey(id))&runs.answers.deleted_at=is.null",
      ada,
    );
    assert.deepEqual(
      questions.map(({ content, runs }) => [content, runs.flatMap(({ id, answers }) => answers.map(() => id))]),
      [
        [`${word} one`, [runIds[0]]],
        [`${word} two`, [runIds[1]]],
      ],
    );
  });

  test("continues in a chat that is loaded again, with the answer from its beginning", async () => {
    const [text, id] = ["/tool guarded {}", `chat ä/${randomUUID()}`];
    for (const [path, bearer] of [
      [`/ai-sdk/agents/${agentId}`, await makeKey("run")],
      [`/ai-sdk/swarms/${swarmId}`, ada],
    ] as const) {
      const open = (chatId = id, as: string = bearer): PlainChat => new PlainChat(path, as, undefined, chatId);
      const closed = open();
      await closed.sendMessage({ text }, { body: { metadata: { page: 7 } } });
      const sent = closed.messages.at(-1);
      const reloaded = open();
      reloaded.messages = closed.messages.slice(0, 1);
      await reloaded.resumeStream();
      assert.equal(reloaded.error, undefined);
      assert.deepEqual(reloaded.messages.at(-1)?.parts, sent?.parts);
      assert.deepEqual(reloaded.messages.at(-1)?.metadata, sent?.metadata);
      const other = open(randomUUID());
      await other.resumeStream();
      assert.deepEqual([other.error, other.messages], [undefined, []], "another chat has no run");
      const stranger = open(id, bob);
      await stranger.resumeStream();
      assert.deepEqual(stranger.messages, [], "another user has no run");
      const run_id = sent?.metadata?.runId;
      const [run] = await call<{ question: { metadata: object } }[]>(
        `/rest/v1/runs?id=eq.${run_id}&select=question:messages!runs_message_id_fkey(metadata)`,
        ada,
      );
      assert.deepEqual(run?.question.metadata, { page: 7, ai_sdk_chat_id: id });
      await call("/functions/v1/agent-respond", ada, { action: "cancel", run_id });
      await reloaded.resumeStream();
      assert.deepEqual([reloaded.error, reloaded.status, reloaded.messages.length], [undefined, "ready", 2]);
    }
    const denied = new PlainChat(`/ai-sdk/swarms/${swarmId}`, await makeKey("write"));
    await denied.resumeStream();
    assert.match(denied.error?.message ?? "", /INSUFFICIENT_SCOPE/);
    const nobody = new PlainChat("/ai-sdk/agents/nobody", ada);
    await nobody.resumeStream();
    assert.match(nobody.error?.message ?? "", /VALIDATION_ERROR/);
  });

  test("rejects callers and messages with the code of the service", async () => {
    const cases: [PlainChat, object, RegExp][] = [
      [new PlainChat(`/ai-sdk/swarms/${swarmId}`, bob), { text: "Hi" }, /FORBIDDEN/],
      [new PlainChat(`/ai-sdk/swarms/${swarmId}`, await makeKey("write")), { text: "Hi" }, /INSUFFICIENT_SCOPE/],
      [
        new PlainChat(`/ai-sdk/swarms/${swarmId}`, ada),
        { parts: [{ type: "file", mediaType: "image/png", url: "data:," }] },
        /VALIDATION_ERROR.*text only/,
      ],
    ];
    for (const [chat, message, error] of cases) {
      await chat.sendMessage(message as { text: string });
      assert.match(chat.error?.message ?? "", error);
    }
    for (const body of [
      {},
      { messages: [1] },
      { messages: [{ id: "1", role: "user", parts: [{ type: "text" }] }] },
      { messages: [], trigger: "x" },
    ])
      assert.equal((await call<{ code: string }>(`/ai-sdk/agents/${agentId}`, ada, body)).code, "VALIDATION_ERROR");
  });
});

test("the examples of the guide run without changes", async () => {
  const page = readFileSync(new URL("../../../docs/guides/ag-ui.md", import.meta.url), "utf8");
  const [askBlock = "", chatBlock = ""] = [...page.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  const withoutImports = (code: string): string => code.replaceAll(/^import .*$/gm, "");
  class Trusting extends HttpAgent {
    constructor(config: ConstructorParameters<typeof HttpAgent>[0]) {
      super({ ...config, fetch: send });
    }
  }
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<unknown>;
  const given = [service.credentials.url, agentId, ada] as const;
  const printed: unknown[] = [];
  const quiet = { log: (text: unknown) => void printed.push(text) };
  const names = ["url", "agentId", "token"];
  await new AsyncFunction("HttpAgent", "console", ...names, withoutImports(askBlock))(Trusting, quiet, ...given);
  assert.match(String(printed[0]), /\w/);
  const chat = new AsyncFunction("DefaultChatTransport", ...names, `${withoutImports(chatBlock)}return transport;`);
  assert.ok((await chat(DefaultChatTransport, ...given)) instanceof DefaultChatTransport);
});
