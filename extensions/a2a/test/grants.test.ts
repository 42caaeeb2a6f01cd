import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Task, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { publishAskingAgent, trustToolServers } from "../../../server/test/support/asking-agent.ts";
import { type Binding, dataPart, messageOf, openClient } from "./support/a2a-client.ts";

const BINDINGS: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const SECRETS = /Say nothing|gpt-5|private\.example\.com|Ada/;

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let a2a: ExtendedService;
let ada: User;
let bob: User;
let agentId: string;
let endpoint: string;

before(async () => {
  const env = { EXTENSIONS: "a2a,mcp-client", AGENT_PUBLISHERS: "users" };
  a2a = await startExtendedService(cleanup, { ...env, ...(await trustToolServers(cleanup)) });
  [ada, bob] = [await a2a.signUp("Ada"), await a2a.signUp("bob")];
  ({ id: agentId } = await ada.insert("agents", {
    name: "Ann",
    role: "support",
    description: "Helps customers.",
    system_prompt: "Say nothing of this.",
    model: "gpt-5.6",
  }));
  endpoint = `${a2a.url}/a2a/agents/${agentId}`;
});
after(async () => {
  for (const close of closers) await close();
});

async function readCard(bearer: string | null, path = `/a2a/agents/${agentId}`): Promise<[number, Parsed]> {
  const headers: Record<string, string> = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  const response = await a2a.fetch(`${a2a.url}${path}/.well-known/agent-card.json`, { headers });
  return [response.status, await response.json()];
}

async function ask(bearer: string, text: string, binding: Binding = "JSONRPC"): Promise<Task> {
  const client = await openClient(a2a, endpoint, { bearer, binding });
  return asTask(await client.sendMessage(messageOf(text)));
}

function asTask(result: Awaited<ReturnType<Client["sendMessage"]>>): Task {
  assert.ok("artifacts" in result);
  return result;
}

/** The status and the code of the service, in both bindings; the client asks without a card. */
async function rejection(bearer: string, id = agentId): Promise<unknown[]> {
  const codes = [];
  const { message } = messageOf("Hello");
  const params = { message: { messageId: message.messageId, role: "ROLE_USER", parts: [{ text: "Hello" }] } };
  for (const [path, body] of [
    ["", { jsonrpc: "2.0", id: 1, method: "SendMessage", params }],
    ["/message:send", params],
  ] as const) {
    const response = await a2a.fetch(`${a2a.url}/a2a/agents/${id}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${bearer}`, "a2a-version": "1.0", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { error }: Parsed = await response.json();
    const [info] = error.data ?? error.details;
    codes.push(response.status, info.metadata.code);
  }
  return codes;
}

const DENIED = [403, "PERMISSION_DENIED", 403, "PERMISSION_DENIED"];

test("a card is for whoever may ask the agent, and shows nothing of its owner", async () => {
  const { id: heldId } = await ada.insert("agent_grants", {
    agent_id: agentId,
    audience: "user",
    user_id: JSON.parse(Buffer.from(bob.token.split(".")[1] ?? "", "base64url").toString()).sub,
  });
  assert.deepEqual([(await readCard(bob.token))[0], (await readCard(null))[0]], [404, 404], "an offer is no grant");
  await bob.send("POST", "/functions/v1/agent-grants", { action: "accept", grant_id: heldId });
  const [status, card] = await readCard(bob.token);
  assert.deepEqual([status, card.name, card.description], [200, "Ann", "Helps customers."]);
  assert.doesNotMatch(JSON.stringify(card), SECRETS);
  const other = await a2a.signUp("carol");
  assert.deepEqual([(await readCard(other.token))[0], (await readCard(null))[0]], [404, 404]);
  assert.deepEqual(await rejection(other.token), DENIED);
  const skillsOf = async (bearer: string | null) => ((await readCard(bearer, ""))[1].skills ?? []).length;
  assert.deepEqual([await skillsOf(bob.token), await skillsOf(other.token), await skillsOf(null)], [1, 0, 0]);

  const everyone = { agent_id: agentId, audience: "everyone", transcripts: "owner" };
  const { id: publicId } = await ada.insert("agent_grants", everyone);
  assert.match((await readCard(null))[1].description, /^Helps customers\. The owner of the agent reads/);
  assert.equal((await readCard(other.token))[0], 200);
  await ada.insert("agent_grants", { ...everyone, priority: 1, runs_per_day: 0 });
  assert.deepEqual([(await readCard(null))[0], (await readCard(other.token))[0]], [404, 404], "the first one blocks");
  await ada.send("DELETE", `/rest/v1/agent_grants?audience=eq.everyone`);
  assert.equal((await readCard(null))[0], 404, publicId);
});

test("an asker talks to the agent in private, and reads the tasks of nobody else", async () => {
  for (const binding of BINDINGS) {
    const task = await ask(bob.token, "Is the bridge open?", binding);
    assert.equal(task.status?.state, TaskState.TASK_STATE_COMPLETED);
    assert.doesNotMatch(JSON.stringify(task), SECRETS);
    const members = await bob.send("GET", `/rest/v1/swarm_members?swarm_id=eq.${task.contextId}&select=role`);
    assert.deepEqual(members, [{ role: "owner" }]);
    const owner = await openClient(a2a, endpoint, { bearer: ada.token, binding });
    await assert.rejects(owner.getTask({ tenant: "", id: task.id }), { name: "TaskNotFoundError" });

    const failed = await ask(bob.token, "/fail refusal", binding);
    assert.equal(failed.status?.state, TaskState.TASK_STATE_FAILED);
    assert.deepEqual(failed.metadata?.["errors"], [{ code: "PROVIDER_ERROR", message: "The agent could not answer" }]);
    assert.equal(failed.status?.message?.parts[0]?.content?.value, "The agent could not answer");
  }
});

test("a key needs the scope run, and has its own conversation", async () => {
  const [runner, reader] = [await bob.makeKey(["run"]), await bob.makeKey(["read"])];
  const { contextId } = await ask(runner, "Hello");
  assert.notEqual(contextId, (await ask(bob.token, "Hello")).contextId);
  assert.equal((await readCard(reader))[0], 200);
  assert.deepEqual(await rejection(reader), [403, "INSUFFICIENT_SCOPE", 403, "INSUFFICIENT_SCOPE"]);
});

test("an anonymous user asks only where the grant says so", async () => {
  const response = await a2a.fetch(`${a2a.url}/auth/v1/signup`, {
    method: "POST",
    headers: { apikey: a2a.service.credentials.anon_key, "content-type": "application/json" },
    body: "{}",
  });
  const { access_token: token }: Parsed = await response.json();
  const { id } = await ada.insert("agent_grants", { agent_id: agentId, audience: "everyone" });
  assert.deepEqual([(await readCard(token))[0], await rejection(token)], [404, DENIED]);
  await ada.send("PATCH", `/rest/v1/agent_grants?id=eq.${id}`, { include_anonymous: true });
  assert.equal((await ask(token, "Hello")).status?.state, TaskState.TASK_STATE_COMPLETED);
  await ada.send("DELETE", `/rest/v1/agent_grants?id=eq.${id}`);
});

test("whoever asks decides, answers and connects accounts, and nobody else sees what waits", async (t) => {
  const agent = await publishAskingAgent(t, a2a, ada);
  const other = await a2a.signUp("dave");
  const open = (bearer: string): Promise<Client> =>
    openClient(a2a, `${a2a.url}/a2a/agents/${agent.agentId}`, { bearer });
  const client = await open(bob.token);
  /** A task that waits, with the text of its status and its call, which nobody else sees or decides. */
  const wait = async (message: string): Promise<{ task: Task; text: string; call: Parsed }> => {
    const task = asTask(await client.sendMessage(messageOf(message)));
    const [text, data] = task.status?.message?.parts ?? [];
    const [call]: Parsed = data?.content?.value.pending_approvals ?? [];
    for (const { token } of [ada, other]) {
      const stranger = await open(token);
      await assert.rejects(stranger.getTask({ tenant: "", id: task.id }), { name: "TaskNotFoundError" });
      const decisions = [{ tool_execution_id: call.tool_execution_id, approved: true }];
      const sent = stranger.sendMessage(messageOf([dataPart({ decisions })], { taskId: task.id }));
      await assert.rejects(sent, { name: "TaskNotFoundError" });
    }
    return { task, text: String(text?.content?.value), call };
  };
  const decide = async ({ task, call }: { task: Task; call: Parsed }, decision: object): Promise<string> => {
    const decisions = [{ tool_execution_id: call.tool_execution_id, ...decision }];
    const decided = asTask(await client.sendMessage(messageOf([dataPart({ decisions })], { taskId: task.id })));
    assert.equal(decided.status?.state, TaskState.TASK_STATE_COMPLETED);
    return JSON.stringify(decided.artifacts);
  };

  const approval = await wait('/tool pay_back {"number":7}');
  assert.deepEqual([approval.text, approval.call.input], ["Waiting for approval: pay_back", { number: 7 }]);
  assert.equal(approval.task.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  assert.match(await decide(approval, { approved: true }), /refunded/);

  const question = await wait("/tool order {}");
  assert.deepEqual([question.text, question.call.question.schema.required], ["order: Which size?", ["size"]]);
  assert.equal(question.task.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
  assert.match(await decide(question, { approved: true, content: { size: "m" } }), /ordered in m/);

  const declined = await wait("/tool whoami {}");
  assert.match(declined.text, /^whoami: Connect your account at 127\.0\.0\.1:\d+\. https:\/\/\S+$/);
  assert.equal(declined.task.status?.state, TaskState.TASK_STATE_AUTH_REQUIRED);
  assert.match(await decide(declined, { approved: false }), /declined to connect an account/);
  const { task, call } = await wait("/tool whoami {}");
  const filters = { tenant: "", contextId: "", pageToken: "", statusTimestampAfter: undefined };
  const list = async (status: TaskState): Promise<string[]> =>
    (await client.listTasks({ ...filters, status })).tasks.map(({ id }) => id);
  assert.deepEqual(await list(TaskState.TASK_STATE_AUTH_REQUIRED), [task.id]);
  assert.deepEqual(await list(TaskState.TASK_STATE_INPUT_REQUIRED), []);
  await agent.connect(bob, call.tool_execution_id);
  await until(
    async () => /api for alice/.test(JSON.stringify(await client.getTask({ tenant: "", id: task.id }))),
    "it ends",
  );
});

test("a former asker reads the conversation and is denied, and a deleted agent does not exist", async () => {
  const { id, contextId } = await ask(bob.token, "Hello");
  const client = await openClient(a2a, endpoint, { bearer: bob.token });
  await ada.send("DELETE", `/rest/v1/agent_grants?agent_id=eq.${agentId}`);
  assert.equal((await client.getTask({ tenant: "", id })).id, id);
  assert.deepEqual([(await readCard(bob.token))[0], await rejection(bob.token)], [404, DENIED]);
  await assert.rejects(client.sendMessage(messageOf("More", { contextId })), /belongs to another user|may not/);
  await ada.send("DELETE", `/rest/v1/agents?id=eq.${agentId}`);
  assert.deepEqual(await rejection(bob.token), [404, "AGENT_NOT_FOUND", 404, "AGENT_NOT_FOUND"]);
});
