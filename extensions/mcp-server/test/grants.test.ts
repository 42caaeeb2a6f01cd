import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;
let bob: User;
let agentId: string;
let grantId: string;

before(async () => {
  service = await startExtendedService(cleanup, { EXTENSIONS: "mcp-server", AGENT_PUBLISHERS: "users" });
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
async function connect(bearer: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", service.url), {
    authProvider: { token: async () => bearer },
    fetch: service.fetch,
  });
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
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
