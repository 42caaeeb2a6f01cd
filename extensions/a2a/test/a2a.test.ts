import assert from "node:assert/strict";
import { until } from "../../../server/test/support/until.ts";
import { after, before, describe, test } from "node:test";
import { AgentCard, StreamResponse, Task, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { type Binding, dataPart, messageOf, openClient } from "./support/a2a-client.ts";

const BINDINGS: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const PUBLISHED = { settings: { a2a_published: true } };

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let a2a: ExtendedService;
let ada: User;
let agentId: string;
let endpoint: string;

before(async () => {
  a2a = await startExtendedService(cleanup, { EXTENSIONS: "a2a", AGENT_PUBLISHERS: "users" });
  ada = await a2a.signUp("ada");
  ({ id: agentId } = await ada.insert("agents", {
    name: "Ann",
    role: "checks facts",
    system_prompt: "You never tell this.",
  }));
  await ada.insert("agent_grants", { agent_id: agentId, audience: "everyone" });
  endpoint = `${a2a.url}/a2a/agents/${agentId}`;
});
after(async () => {
  for (const close of closers) await close();
});

/** Asserts that the result of a call is a task. */
function asTask(result: Awaited<ReturnType<Client["sendMessage"]>>): Task {
  assert.ok("artifacts" in result);
  return result;
}

function textsOf({ artifacts }: Task): string[] {
  return artifacts.map(({ parts }) => parts.map(({ content }) => String(content?.value)).join(""));
}

/** The artifacts of a stream as a client puts them together, and the states in order. */
async function collect(events: AsyncIterable<StreamResponse>) {
  const texts = new Map<string, string>();
  const states: TaskState[] = [];
  let first: Task | null = null;
  let chunks = 0;
  for await (const { payload } of events) {
    if (payload?.$case === "task") {
      first ??= payload.value;
      states.push(payload.value.status?.state ?? 0);
    } else if (payload?.$case === "statusUpdate") states.push(payload.value.status?.state ?? 0);
    else if (payload?.$case === "artifactUpdate") {
      const { artifact, append } = payload.value;
      const text = artifact?.parts.map(({ content }) => String(content?.value)).join("") ?? "";
      const id = artifact?.artifactId ?? "";
      texts.set(id, append ? `${texts.get(id)}${text}` : text);
      chunks += 1;
    }
  }
  assert.ok(first !== null, "a stream begins with its task");
  return { first, states, chunks, texts: [...texts.values()] };
}

const { TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_CANCELED } = TaskState;
const { TASK_STATE_INPUT_REQUIRED, TASK_STATE_FAILED } = TaskState;

for (const binding of BINDINGS)
  describe(`the binding ${binding}`, () => {
    let client: Client;
    before(async () => {
      client = await openClient(a2a, endpoint, { bearer: await ada.makeKey(["run", "approve"]), binding });
      assert.equal(client.transport.protocolName, binding);
    });

    test("sends a message, and returns the task with the answer as its artifact", async () => {
      const request = messageOf("Is the bridge open?");
      const task = asTask(await client.sendMessage(request));
      assert.equal(task.status?.state, TASK_STATE_COMPLETED);
      assert.match(textsOf(task).join(), /^\[simulated\]/);
      assert.deepEqual(
        task.history.map(({ messageId, parts }) => [messageId, parts[0]?.content?.value]),
        [[request.message.messageId, "Is the bridge open?"]],
      );
      assert.deepEqual(await client.getTask({ tenant: "", id: task.id }), task);
      const [run] = await ada.send("GET", `/rest/v1/runs?id=eq.${task.id}&select=swarm_id,status`);
      assert.deepEqual(run, { swarm_id: task.contextId, status: "completed" });

      const again = asTask(await client.sendMessage(request));
      assert.equal(again.id, task.id, "a message that is sent again starts no second run");
      const next = asTask(await client.sendMessage(messageOf("And now?", { contextId: task.contextId })));
      assert.deepEqual([next.contextId, next.id === task.id], [task.contextId, false]);
      const short = await client.getTask({ tenant: "", id: task.id, historyLength: 0 });
      assert.deepEqual(short.history, []);
    });

    test("streams an answer piece by piece", async () => {
      const { first, states, texts, chunks } = await collect(client.sendMessageStream(messageOf("Tell me more")));
      assert.deepEqual(states, [TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED]);
      assert.ok(chunks > 2, `${chunks} chunks`);
      assert.deepEqual(texts, textsOf(await client.getTask({ tenant: "", id: first.id })));
    });

    test("returns at once when the client wants it, follows the task again, and cancels it", async () => {
      const configuration = { returnImmediately: true };
      const task = asTask(await client.sendMessage(messageOf("/sleep 600000", { configuration })));
      assert.ok([TASK_STATE_SUBMITTED, TASK_STATE_WORKING].includes(task.status?.state ?? 0));
      const stream = client.resubscribeTask({ tenant: "", id: task.id });
      const { value: begun } = await stream.next();
      assert.equal(begun?.payload?.$case, "task");
      const cancelled = await client.cancelTask({ tenant: "", id: task.id, metadata: undefined });
      assert.equal(cancelled.status?.state, TASK_STATE_CANCELED);
      const rest: (TaskState | undefined)[] = [];
      for await (const { payload } of stream)
        if (payload?.$case === "statusUpdate") rest.push(payload.value.status?.state);
      assert.equal(rest.at(-1), TASK_STATE_CANCELED);

      const id = { tenant: "", id: task.id };
      await assert.rejects(client.cancelTask({ ...id, metadata: undefined }), { name: "TaskNotCancelableError" });
      await assert.rejects(collect(client.resubscribeTask(id)), { name: "UnsupportedOperationError" });
      const late = messageOf("More", { taskId: task.id });
      await assert.rejects(client.sendMessage(late), { name: "UnsupportedOperationError" });
    });

    test("goes on with a task whose client disconnects", async () => {
      const leave = new AbortController();
      const request = messageOf("/sleep 600000");
      const stream = client.sendMessageStream(request, { signal: leave.signal });
      const { value: begun } = await stream.next();
      assert.ok(begun?.payload?.$case === "task");
      const { id } = begun.payload.value;
      const waiting = client.sendMessage(request, { signal: leave.signal });
      leave.abort();
      await assert.rejects(Promise.all([stream.next().then(() => stream.next()), waiting]));
      const task = await client.getTask({ tenant: "", id });
      assert.equal(task.status?.state, TASK_STATE_WORKING);
      await client.cancelTask({ tenant: "", id, metadata: undefined });
    });

    test("waits for approvals as input-required, and takes decisions as data", async () => {
      const tool = { name: `publish_${BINDINGS.indexOf(binding)}`, description: "Publishes.", requires_approval: true };
      const { id: toolId } = await ada.insert("tools", { ...tool, config: { url: "https://news.example.com/" } });
      await ada.insert("agent_tools", { agent_id: agentId, tool_id: toolId });
      const message = `/tool ${tool.name} {}`;
      const waiting = asTask(await client.sendMessage(messageOf(message)));
      assert.equal(waiting.status?.state, TASK_STATE_INPUT_REQUIRED);
      const [, data] = waiting.status?.message?.parts ?? [];
      const [pending]: Parsed = data?.content?.value.pending_approvals ?? [];
      assert.deepEqual([pending.tool_name, pending.input], [tool.name, {}]);

      const ids = { taskId: waiting.id, contextId: waiting.contextId };
      await assert.rejects(client.sendMessage(messageOf("yes", ids)), { name: "RequestMalformedError" });
      const decisions = [{ tool_execution_id: pending.tool_execution_id, approved: false, reason: "Not yet" }];
      const decided = asTask(await client.sendMessage(messageOf([dataPart({ decisions })], ids)));
      assert.deepEqual([decided.id, decided.status?.state], [waiting.id, TASK_STATE_COMPLETED]);

      const streamed = await collect(client.sendMessageStream(messageOf(message)));
      assert.equal(streamed.states.at(-1), TASK_STATE_INPUT_REQUIRED);
      const [call] = await ada.send("GET", `/rest/v1/tool_executions?run_id=eq.${streamed.first.id}&select=id`);
      const denial = { decisions: [{ tool_execution_id: call.id, approved: false }] };
      const last = await collect(
        client.sendMessageStream(messageOf([dataPart(denial)], { taskId: streamed.first.id })),
      );
      assert.deepEqual([last.first.id, last.states.at(-1)], [streamed.first.id, TASK_STATE_COMPLETED]);
      assert.ok(last.texts.length > 0);
      await ada.send("DELETE", `/rest/v1/tools?id=eq.${toolId}`);
    });

    test("is working while the run waits for a signal, says so, and holds no stream", async () => {
      const [tool] = await ada.send("GET", "/rest/v1/tools?name=eq.wait_for_event&select=id");
      const { id: assignment } = await ada.insert("agent_tools", { agent_id: agentId, tool_id: tool.id });
      const message = '/tool wait_for_event {"name":"go","seconds":3600}';
      const streamed = await collect(client.sendMessageStream(messageOf(message)));
      assert.equal(streamed.states.at(-1), TASK_STATE_WORKING);
      const { id } = streamed.first;
      const task = await client.getTask({ tenant: "", id });
      const [words, data] = task.status?.message?.parts ?? [];
      assert.match(String(words?.content?.value), /^Waiting for the signal go, at most until 2/);
      const [wait]: Parsed = data?.content?.value.pending_waits ?? [];
      assert.equal(wait.name, "go");
      await assert.rejects(client.sendMessage(messageOf("yes", { taskId: id })), { name: "UnsupportedOperationError" });
      await ada.send("POST", "/functions/v1/agent-respond", { action: "signal", run_id: id, name: "go" });
      await until(async () => (await client.getTask({ tenant: "", id })).status?.state === TASK_STATE_COMPLETED);
      await ada.send("DELETE", `/rest/v1/agent_tools?id=eq.${assignment}`);
    });

    test("lists tasks by page, state and time", async () => {
      const filters = { tenant: "", contextId: "", status: 0, pageToken: "", statusTimestampAfter: undefined };
      const all = await client.listTasks(filters);
      assert.ok(all.totalSize > 2);
      assert.equal(all.tasks.length, all.totalSize);
      assert.ok(all.tasks.every(({ artifacts }) => artifacts.length === 0));
      const seen: string[] = [];
      for (let pageToken = ""; ; ) {
        const page = await client.listTasks({ ...filters, pageSize: 2, pageToken, includeArtifacts: true });
        assert.equal(page.totalSize, all.totalSize);
        seen.push(...page.tasks.map(({ id }) => id));
        pageToken = page.nextPageToken;
        if (pageToken === "") break;
      }
      assert.deepEqual(
        seen,
        all.tasks.map(({ id }) => id),
      );
      const cancelled = await client.listTasks({ ...filters, status: TASK_STATE_CANCELED });
      assert.ok(cancelled.tasks.length > 0);
      assert.ok(cancelled.tasks.every(({ status }) => status?.state === TASK_STATE_CANCELED));
      const rejected = await client.listTasks({ ...filters, status: TaskState.TASK_STATE_REJECTED });
      assert.deepEqual([rejected.tasks, rejected.totalSize], [[], 0]);
      const later = await client.listTasks({ ...filters, statusTimestampAfter: "2100-01-01T00:00:00Z" });
      assert.deepEqual(later.tasks, []);
      const { totalSize } = await client.listTasks({ ...filters, statusTimestampAfter: "2020-01-01T00:00:00Z" });
      assert.equal(totalSize, all.totalSize);
      const wrongs = [
        { pageSize: 101 },
        { pageToken: "x" },
        { contextId: "x" },
        { statusTimestampAfter: "x" },
        { status: 99 },
      ];
      for (const wrong of wrongs)
        await assert.rejects(client.listTasks({ ...filters, ...wrong }), { name: "RequestMalformedError" });
    });

    test("answers errors in the form of the protocol", async () => {
      const unknown = { tenant: "", id: crypto.randomUUID() };
      for (const id of [unknown, { tenant: "", id: "no id" }])
        await assert.rejects(client.getTask(id), { name: "TaskNotFoundError" });
      await assert.rejects(client.cancelTask({ ...unknown, metadata: undefined }), { name: "TaskNotFoundError" });
      await assert.rejects(collect(client.resubscribeTask(unknown)), { name: "TaskNotFoundError" });
      const raw = { $case: "raw", value: Buffer.from("x") } as const;
      const file = { content: raw, metadata: undefined, filename: "a.png", mediaType: "image/png" };
      await assert.rejects(client.sendMessage(messageOf([file])), { name: "ContentTypeNotSupportedError" });
      const configuration = { acceptedOutputModes: ["image/png"] };
      await assert.rejects(client.sendMessage(messageOf("Draw", { configuration })), {
        name: "ContentTypeNotSupportedError",
      });
      for (const request of [messageOf([]), messageOf("x".repeat(32_001)), messageOf("Hello", { messageId: "" })]) {
        await assert.rejects(client.sendMessage(request), { name: "RequestMalformedError" });
        await assert.rejects(collect(client.sendMessageStream(request)), { name: "RequestMalformedError" });
      }
      const failed = asTask(await client.sendMessage(messageOf("/fail refusal")));
      assert.equal(failed.status?.state, TASK_STATE_FAILED);
      assert.notEqual(String(failed.status?.message?.parts[0]?.content?.value), "");
      assert.ok((failed.metadata as Parsed).errors[0].code);
    });
  });

test("responses are in the canonical JSON of the protocol, which the package of the protocol reads and writes alike", async () => {
  const request = async (path: string, body?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${ada.token}`, "content-type": "application/json", "a2a-version": "1.0" };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await a2a.fetch(`${endpoint}${path}`, init);
    assert.equal(response.status, 200);
    return response.text();
  };
  const assertCanonical = <T>(
    codec: { fromJSON(value: unknown): T; toJSON(value: T): unknown },
    value: unknown,
  ): void => assert.deepEqual(codec.toJSON(codec.fromJSON(value)), value);
  const messageTo = (text: string) => ({ message: { messageId: crypto.randomUUID(), parts: [{ text }] } });
  for (const text of ["Hello", "/fail refusal"])
    assertCanonical(Task, JSON.parse(await request("/message:send", messageTo(text))).task);
  const stream = await request("/message:stream", messageTo("Tell me more"));
  for (const [, frame = ""] of stream.matchAll(/^data: (.*)$/gm)) assertCanonical(StreamResponse, JSON.parse(frame));
  const { tasks } = JSON.parse(await request("/tasks?pageSize=3&includeArtifacts=true&historyLength=0"));
  for (const task of tasks) assertCanonical(Task, task);
  for (const path of ["/extendedAgentCard", "/.well-known/agent-card.json", "/../../../.well-known/agent-card.json"])
    assertCanonical(AgentCard, JSON.parse(await request(path)));
});

describe("cards", () => {
  const read = async (path: string, headers: Record<string, string> = {}): Promise<[number, Parsed]> => {
    const response = await a2a.fetch(`${a2a.url}${path}`, { headers });
    return [response.status, await response.json()];
  };

  test("are public for agents that everybody may ask, and describe both bindings", async () => {
    const [status, card] = await read(`/a2a/agents/${agentId}/.well-known/agent-card.json`);
    assert.equal(status, 200);
    assert.deepEqual([card.name, card.description], ["Ann", "checks facts"]);
    assert.deepEqual(
      card.supportedInterfaces.map(({ url, protocolBinding, protocolVersion }: Parsed) => [
        url,
        protocolBinding,
        protocolVersion,
      ]),
      BINDINGS.map((binding) => [endpoint, binding, "1.0"]),
    );
    assert.deepEqual(card.capabilities, { streaming: true, pushNotifications: true, extendedAgentCard: true });
    assert.equal(card.securitySchemes.bearer.httpAuthSecurityScheme.scheme, "Bearer");
    const { authorizationCode } = card.securitySchemes.oauth2.oauth2SecurityScheme.flows;
    assert.deepEqual(
      [authorizationCode.authorizationUrl, authorizationCode.tokenUrl, authorizationCode.pkceRequired],
      [`${a2a.url}/auth/v1/oauth/authorize`, `${a2a.url}/auth/v1/oauth/token`, true],
    );
    assert.deepEqual(
      card.securityRequirements.map(({ schemes }: Parsed) => Object.keys(schemes)),
      [["oauth2"], ["bearer"]],
    );
    assert.doesNotMatch(JSON.stringify(card), /never tell/);
  });

  test("are hidden from whoever may not ask; the owner reads them with a bearer", async () => {
    const { id } = await ada.insert("agents", { name: "Secret", settings: { a2a_published: true } });
    const { id: swarmId } = await ada.insert("swarms", { name: "Newsroom", description: "Writes news" });
    const hidden = [`/a2a/agents/${id}`, `/a2a/swarms/${swarmId}`, "/a2a/agents/no-id", `/a2a/swarms/${agentId}`];
    for (const path of hidden) {
      const [status, { error }] = await read(`${path}/.well-known/agent-card.json`);
      assert.deepEqual([status, error.status, error.details[0].reason], [404, "NOT_FOUND", "NOT_FOUND"], path);
    }
    const headers = { authorization: `Bearer ${ada.token}`, "a2a-version": "1.0" };
    const bob = { ...headers, authorization: `Bearer ${(await a2a.signUp("bob")).token}` };
    for (const path of ["extendedAgentCard", ".well-known/agent-card.json"]) {
      const [status, card] = await read(`/a2a/agents/${id}/${path}`, headers);
      assert.deepEqual([status, card.name], [200, "Secret"]);
      assert.equal((await read(`/a2a/agents/${id}/${path}`, bob))[0], 404);
      assert.equal((await read(`/a2a/agents/${id}/${path}`, { ...bob, authorization: "Bearer forged" }))[0], 401);
    }

    const [, before] = await read("/.well-known/agent-card.json");
    await ada.send("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, PUBLISHED);
    const [, after] = await read("/.well-known/agent-card.json");
    const namesOf = ({ skills }: Parsed): string[] => skills.map(({ name }: Parsed) => name);
    assert.deepEqual([namesOf(before), namesOf(after)], [["Ann"], ["Ann", "Newsroom"]]);
    assert.match(after.skills[1].description, new RegExp(`^Writes news .*/a2a/swarms/${swarmId}/\\.well-known/`));
    assert.equal((await read(`/a2a/swarms/${swarmId}/.well-known/agent-card.json`))[1].description, "Writes news");
    assert.deepEqual(namesOf((await read("/.well-known/agent-card.json", headers))[1]), ["Ann", "Secret", "Newsroom"]);
    assert.deepEqual(namesOf((await read("/.well-known/agent-card.json", bob))[1]), ["Ann", "Newsroom"]);
  });
});

describe("access", () => {
  test("of an anonymous caller is 401, and a key needs the scope of the operation", async () => {
    for (const path of ["", "/message:send"]) {
      const response = await a2a.fetch(`${endpoint}${path}`, { method: "POST", body: "{}" });
      assert.equal(response.status, 401);
      const metadata = `resource_metadata="${a2a.url}/.well-known/oauth-protected-resource/a2a"`;
      assert.equal(response.headers.get("www-authenticate"), `Bearer realm="a2a", ${metadata}, scope="read run"`);
      assert.match(await response.text(), /"UNAUTHORIZED"/);
    }
    for (const binding of BINDINGS) {
      const anonymous = await openClient(a2a, endpoint, { bearer: null, binding });
      await assert.rejects(anonymous.sendMessage(messageOf("Hello")), /apikey|bearer|token|sign/i);
      const reader = await openClient(a2a, endpoint, { bearer: await ada.makeKey(["read"]), binding });
      await assert.rejects(reader.sendMessage(messageOf("Hello")), /scope/);
      await assert.rejects(collect(reader.sendMessageStream(messageOf("Hello"))), /scope/);
      const runner = await openClient(a2a, endpoint, { bearer: await ada.makeKey(["run"]), binding });
      const { id } = asTask(await runner.sendMessage(messageOf("Hello")));
      assert.equal((await reader.getTask({ tenant: "", id })).id, id);
    }
  });

  test("of other users ends at the rules of rows", async () => {
    const eve = await a2a.signUp("eve");
    const { id: privateId } = await ada.insert("agents", { name: "Private" });
    const headers = { authorization: `Bearer ${eve.token}`, "a2a-version": "1.0", "content-type": "application/json" };
    const body = JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] } });
    const url = `${a2a.url}/a2a/agents/${privateId}/message:send`;
    assert.equal((await a2a.fetch(url, { method: "POST", headers, body })).status, 403);
    const filters = { tenant: "", contextId: "", status: 0, pageToken: "", statusTimestampAfter: undefined };
    for (const binding of BINDINGS) {
      const own = await openClient(a2a, endpoint, { bearer: ada.token, binding });
      const task = asTask(await own.sendMessage(messageOf("Hello")));
      const other = await openClient(a2a, endpoint, { bearer: eve.token, binding });
      const id = { tenant: "", id: task.id };
      await assert.rejects(other.getTask(id), { name: "TaskNotFoundError" });
      await assert.rejects(other.cancelTask({ ...id, metadata: undefined }), { name: "TaskNotFoundError" });
      await assert.rejects(collect(other.resubscribeTask(id)), { name: "TaskNotFoundError" });
      assert.deepEqual((await other.listTasks(filters)).tasks, []);
      const wrongContext = messageOf("Hello", { contextId: task.contextId });
      await assert.rejects(other.sendMessage(wrongContext));
      // Another endpoint of the same user does not have the task either.
      const { id: otherId } = await ada.insert("agents", { name: "Other" });
      const sibling = await openClient(a2a, `${a2a.url}/a2a/agents/${otherId}`, { bearer: ada.token, binding });
      await assert.rejects(sibling.getTask(id), { name: "TaskNotFoundError" });
    }
  });

  test("to a swarm is that of its members", async () => {
    const { id: swarmId } = await ada.insert("swarms", { name: "Desk", ...PUBLISHED });
    await ada.insert("swarm_agents", { swarm_id: swarmId, agent_id: agentId });
    const client = await openClient(a2a, `${a2a.url}/a2a/swarms/${swarmId}`, { bearer: ada.token });
    const task = asTask(await client.sendMessage(messageOf("Hello", { contextId: swarmId })));
    assert.deepEqual([task.contextId, task.artifacts.length], [swarmId, 1]);
    const wrong = messageOf("Hello", { contextId: crypto.randomUUID() });
    await assert.rejects(client.sendMessage(wrong), { name: "RequestMalformedError" });
    const zoe = await openClient(a2a, `${a2a.url}/a2a/swarms/${swarmId}`, { bearer: (await a2a.signUp("zoe")).token });
    await assert.rejects(zoe.sendMessage(messageOf("Hello")), /swarm/i);
    await assert.rejects(zoe.getTask({ tenant: "", id: task.id }), { name: "TaskNotFoundError" });
  });

  test("needs the version, the form and the methods of the protocol", async () => {
    const post = async (body: unknown, headers: Record<string, string> = {}): Promise<[number, Parsed]> => {
      const response = await a2a.fetch(endpoint, {
        method: "POST",
        headers: {
          authorization: `Bearer ${ada.token}`,
          "content-type": "application/json",
          "a2a-version": "1.0",
          ...headers,
        },
        body: JSON.stringify(body),
      });
      return [response.status, await response.json()];
    };
    const call = { jsonrpc: "2.0", id: "a", method: "GetTask", params: { id: crypto.randomUUID() } };
    const codeOf = async (...args: Parameters<typeof post>): Promise<unknown[]> => {
      const [status, { id, error }] = await post(...args);
      return [status, id, error.code];
    };
    assert.deepEqual(await codeOf(call), [200, "a", -32_001]);
    assert.deepEqual(await codeOf(call, { "a2a-version": "0.3" }), [200, "a", -32_009]);
    assert.deepEqual(await codeOf({ ...call, method: "message/send" }), [200, "a", -32_601]);
    assert.deepEqual(await codeOf({ ...call, method: "toString" }), [200, "a", -32_601]);
    assert.deepEqual(await codeOf({ ...call, method: "CreateTaskPushNotificationConfig" }), [200, "a", -32_602]);
    assert.deepEqual(await codeOf({ ...call, params: [] }), [200, null, -32_602]);
    assert.deepEqual(await codeOf([call]), [200, null, -32_600]);
    for (const message of [null, 1, { parts: [null] }, { messageId: "1", parts: [{}] }])
      assert.deepEqual(await codeOf({ ...call, method: "SendMessage", params: { message } }), [200, "a", -32_602]);
    const [status, { error }] = await post({
      ...call,
      method: "SendMessage",
      params: { message: { messageId: "1", contextId: crypto.randomUUID(), parts: [{ text: "Hello" }] } },
    });
    assert.deepEqual([status, error.code, error.data[0].reason], [404, -32_000, "SWARM_NOT_FOUND"]);
    assert.equal(error.data[0].domain, "swarmbase");
  });
});
