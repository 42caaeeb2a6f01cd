import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { publishAskingAgent, trustToolServers } from "../../../server/test/support/asking-agent.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;
let bob: User;
let agentId: string;
let grantId: string;

before(async () => {
  const env = { EXTENSIONS: "mcp-server,mcp-client", AGENT_PUBLISHERS: "users" };
  service = await startExtendedService(cleanup, { ...env, ...(await trustToolServers(cleanup)) });
  [ada, bob] = [await service.signUp("ada"), await service.signUp("bob")];
  const row = { name: "Ann", role: "support", system_prompt: "Say nothing of this.", model: "gpt-5.6" };
  ({ id: agentId } = await ada.insert("agents", row));
  const config = { url: "https://private.example.com/refunds" };
  const tool = { name: "refund", description: "Refunds.", requires_approval: true, config };
  const { id: toolId } = await ada.insert("tools", tool);
  await ada.insert("agent_tools", { agent_id: agentId, tool_id: toolId });
  ({ id: grantId } = await ada.insert("agent_grants", { agent_id: agentId, audience: "everyone" }));
});
after(async () => {
  for (const close of closers) await close();
});

/** The public client, as any program would use it. */
async function connect(bearer: string, options: ClientOptions = {}): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", service.url), {
    authProvider: { token: async () => bearer },
    fetch: service.fetch,
  });
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" }, ...options });
  await client.connect(transport);
  closers.unshift(() => client.close());
  return client;
}

async function call(bearer: string, name: string, input: Record<string, unknown> = {}): Promise<Parsed> {
  return (await connect(bearer)).callTool({ name, arguments: input }, { timeout: WAIT_MS });
}

const ask = (bearer: string, message: string): Promise<Parsed> =>
  call(bearer, "ask_agent", { agent_id: agentId, message });

async function codeOf(result: Promise<Parsed>): Promise<string> {
  const { isError, _meta } = await result;
  assert.equal(isError, true);
  return _meta["swarmbase/error"].code;
}

const namesOf = async (bearer: string): Promise<string[]> => [
  ...(await call(bearer, "list_agents")).structuredContent.agents.map(({ name }: Parsed) => name),
  ...(await (await connect(bearer)).listPrompts()).prompts.map(({ title }) => title ?? ""),
];

test("agents of others are listed, found and asked, and show nothing of their owner", async () => {
  await bob.insert("agents", { name: "Own" });
  assert.deepEqual(await namesOf(bob.token), ["Own", "Ann", "Ask Own", "Ask Ann"]);
  const found = await call(bob.token, "search", { query: "ann" });
  assert.deepEqual(found.structuredContent.agents, [
    {
      id: agentId,
      name: "Ann",
      role: "support",
      description: null,
      framework: null,
      model: null,
      status: null,
      payer: "owner",
      approver: "owner",
      transcripts: "private",
    },
  ]);
  const client = await connect(bob.token);
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: prompts[1]?.name ?? "", arguments: { message: "Hello" } });
  assert.match(JSON.stringify(prompt), new RegExp(agentId));
  const answer = await ask(bob.token, "Hello");
  assert.equal(answer.structuredContent.status, "completed");
  assert.doesNotMatch(JSON.stringify(answer), /gpt-5|Say nothing|private\.example\.com/);
  const failed = await ask(bob.token, "/fail refusal");
  assert.match(failed.content[0].text, /^CONTENT_FILTERED: The agent could not answer/);
  const transcript = { swarm_id: answer.structuredContent.swarm_id };
  assert.equal(await codeOf(call(ada.token, "read_messages", transcript)), "SWARM_NOT_FOUND");
});

test("the owner decides about a call, or the asker where the grant says so", async () => {
  const waiting = await ask(bob.token, "/tool refund {}");
  assert.equal(waiting.structuredContent.status, "requires_action");
  assert.deepEqual((await call(bob.token, "list_approvals")).structuredContent.approvals, []);
  const [pending] = (await call(ada.token, "list_approvals")).structuredContent.approvals;
  assert.deepEqual([pending.agent_name, pending.tool_name, pending.input], ["Ann", "refund", {}]);
  const decision = { tool_execution_id: pending.tool_execution_id, approved: false };
  assert.equal(await codeOf(call(bob.token, "decide_approval", decision)), "FORBIDDEN");
  const decided = await call(ada.token, "decide_approval", decision);
  assert.deepEqual([decided.isError, decided.structuredContent.responses], [undefined, []]);

  await ada.send("PATCH", `/rest/v1/agent_grants?id=eq.${grantId}`, { approver: "asker" });
  assert.equal((await ask(bob.token, "/tool refund {}")).structuredContent.status, "requires_action");
  assert.deepEqual((await call(ada.token, "list_approvals")).structuredContent.approvals, []);
  const [own] = (await call(bob.token, "list_approvals")).structuredContent.approvals;
  assert.equal(own.agent_name, "Ann");
  const answered = await call(bob.token, "decide_approval", { ...decision, tool_execution_id: own.tool_execution_id });
  assert.equal(answered.structuredContent.status, "completed");
});

test("whoever asks decides, answers and connects accounts, and nobody else sees what waits", async (t) => {
  const agent = await publishAskingAgent(t, service, ada);
  const carol = await service.signUp("carol");
  const events = ["run.updated", "tool.executed", "tool.error"];
  for (const [name, user] of Object.entries({ ada, bob, carol }))
    await user.insert("webhooks", { name, url: `${agent.origin}/${name}`, events });
  const seen: Parsed[] = [];
  let answer = async (_params: Parsed): Promise<Parsed> => ({ action: "cancel" });
  const open = async (modes: NonNullable<ClientOptions["capabilities"]>["elicitation"] & {}): Promise<Client> => {
    const client = await connect(bob.token, { capabilities: { elicitation: modes } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      seen.push(params);
      return answer(params);
    });
    return client;
  };
  const asker = await open({ form: {}, url: {} });
  const use = (tool: string, client = asker): Promise<Parsed> =>
    client.callTool(
      { name: "ask_agent", arguments: { agent_id: agent.agentId, message: `/tool ${tool}` } },
      { timeout: WAIT_MS },
    );
  const textOf = ({ content }: Parsed): string => content.map(({ text }: Parsed) => text).join("\n");
  /** The call that waits, which nobody else lists or decides. */
  const find = async (): Promise<Parsed> => {
    const [call_, ...others] = (await call(bob.token, "list_approvals")).structuredContent.approvals;
    assert.deepEqual(others, []);
    for (const other of [ada, carol]) {
      assert.deepEqual((await call(other.token, "list_approvals")).structuredContent.approvals, []);
      const decision = { tool_execution_id: call_.tool_execution_id, approved: true };
      assert.equal(await codeOf(call(other.token, "decide_approval", decision)), "NOT_FOUND");
    }
    return call_;
  };

  answer = async () => {
    assert.deepEqual((await find()).input, { number: 7 });
    return { action: "accept", content: { approve: true } };
  };
  assert.match(textOf(await use('pay_back {"number":7}')), /refunded/);
  assert.match(seen.at(-1).message, /^Desk wants to call pay_back with \{"number":7\}/);
  assert.deepEqual(agent.bodiesAt("/refunds"), ['{"number":7}']);

  answer = async () => {
    assert.equal((await find()).question.message, "Which size?");
    return { action: "accept", content: { size: "m" } };
  };
  assert.match(textOf(await use("order {}")), /ordered in m/);
  assert.deepEqual(
    [seen.at(-1).message, seen.at(-1).requestedSchema.required],
    ["order, which Desk has called, asks: Which size?", ["size"]],
  );
  answer = async () => ({ action: "decline" });
  assert.match(textOf(await use("order {}")), /ordered in no size/);
  // Without forms, the model reads the question, and the user's answer goes the same way.
  const asked = await call(bob.token, "ask_agent", { agent_id: agent.agentId, message: "/tool order {}" });
  assert.match(textOf(asked), /^order asks: Which size\? The call waits for an answer until/);
  const { tool_execution_id } = await find();
  const answered = { tool_execution_id, approved: true, content: { size: "s" } };
  assert.match(textOf(await call(bob.token, "decide_approval", answered)), /ordered in s/);

  assert.match(
    textOf(await use("whoami {}", await open({ form: {} }))),
    /^whoami needs an account: Connect your account/,
  );
  const waiting = await find();
  assert.match(textOf(await use("whoami {}", await open({ form: {} }))), new RegExp(`signs in at https://\\S+ and`));
  await bob.send("POST", "/functions/v1/agent-respond", { action: "cancel", run_id: waiting.run_id });
  assert.equal(seen.length, 3, "no form for a sign-in");
  answer = async () => ({ action: "decline" });
  assert.match(textOf(await use("whoami {}")), /declined to connect an account/);
  answer = async ({ mode, url }) => {
    assert.deepEqual([mode, new URL(url).hostname], ["url", "127.0.0.1"]);
    const { tool_execution_id: id } = (await call(bob.token, "list_approvals")).structuredContent.approvals[0];
    // The user has opened the address, and signs in while the request is repeated.
    setTimeout(() => void agent.connect(bob, id), 100);
    return { action: "accept" };
  };
  assert.match(textOf(await use("whoami {}")), /api for alice/);

  const waits = (body: string): boolean => body.includes('"requires_action"');
  await until(() => agent.bodiesAt("/bob").filter(waits).length >= 4, "the webhook of whoever asks tells of each wait");
  await until(() => agent.bodiesAt("/ada").length > 0, "the owner learns that tools were used");
  assert.doesNotMatch(agent.bodiesAt("/ada").join("\n"), /requires_action|"number"|refunded|ordered in|alice/);
  assert.deepEqual(agent.bodiesAt("/carol"), []);
});

test("a key needs the scope run, and an anonymous user a grant for anonymous users", async () => {
  const [runner, reader] = [await bob.makeKey(["run"]), await bob.makeKey(["read"])];
  assert.equal((await ask(runner, "Hello")).structuredContent.status, "completed");
  assert.equal((await (await connect(runner)).listPrompts()).prompts.length, 2);
  assert.equal(await codeOf(ask(reader, "Hello")), "INSUFFICIENT_SCOPE");
  const response = await service.fetch(`${service.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: service.service.credentials.anon_key, "content-type": "application/json" },
    body: "{}",
  });
  const { access_token: anonymous }: Parsed = await response.json();
  assert.deepEqual(await namesOf(anonymous), []);
  assert.equal(await codeOf(ask(anonymous, "Hello")), "PERMISSION_DENIED");
});

test("a former asker is denied and keeps the conversation, and a deleted agent does not exist", async () => {
  await ada.send("DELETE", `/rest/v1/agent_grants?id=eq.${grantId}`);
  assert.equal(await codeOf(ask(bob.token, "Hello")), "PERMISSION_DENIED");
  assert.deepEqual(await namesOf(bob.token), ["Own", "Ask Own"]);
  assert.ok((await call(bob.token, "search", { query: "Hello" })).structuredContent.messages.length > 0);
  await ada.send("DELETE", `/rest/v1/agents?id=eq.${agentId}`);
  assert.equal(await codeOf(ask(bob.token, "Hello")), "AGENT_NOT_FOUND");
});
