import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Task, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../../../server/test/support/webhook-receiver.ts";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { type Binding, dataPart, messageOf, openClient } from "./support/a2a-client.ts";

const BINDINGS: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const VERSIONED = { serviceParameters: { "A2A-Version": "1.0" } };

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let a2a: ExtendedService;
let receiver: Receiver;
let ada: User;
let endpoint: string;

before(async () => {
  receiver = await startReceiver(cleanup);
  const caFile = join(await createTemporaryFolder(cleanup, "a2a-ca-"), "receiver.pem");
  await writeFile(caFile, RECEIVER_CA);
  a2a = await startExtendedService(cleanup, {
    EXTENSIONS: "a2a",
    AGENT_PUBLISHERS: "users",
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
    WEBHOOK_ALLOWED_PORTS: new URL(receiver.url).port,
    WEBHOOK_RETRY_SCHEDULE: "0,1",
  });
  ada = await a2a.signUp("ada");
  const { id } = await ada.insert("agents", { name: "Ann" });
  const tool = await ada.insert("tools", {
    name: "locate",
    description: "Returns the position of the user.",
    kind: "client",
    input_schema: { type: "object", properties: { precise: { type: "boolean" } } },
  });
  await ada.insert("agent_tools", { agent_id: id, tool_id: tool.id });
  // Strangers reach the endpoint with the client of the protocol only where they read its card.
  await ada.insert("agent_grants", { agent_id: id, audience: "everyone" });
  endpoint = `${a2a.url}/a2a/agents/${id}`;
});
after(async () => {
  for (const close of closers) await close();
});

function configOf(path: string, more: Partial<Parsed> = {}) {
  return {
    tenant: "",
    id: "",
    taskId: "",
    url: `${receiver.url}${path}`,
    token: "",
    authentication: undefined,
    ...more,
  };
}

function asTask(result: Awaited<ReturnType<Client["sendMessage"]>>): Task {
  assert.ok("artifacts" in result);
  return result;
}

const statesAt = (path: string): string[] =>
  receiver.received
    .filter((request) => request.path === path)
    .map(({ body }) => JSON.parse(body).statusUpdate.status.state);
const open = (binding: Binding = "JSONRPC", bearer = ada.token): Promise<Client> =>
  openClient(a2a, endpoint, { bearer, binding });

for (const binding of BINDINGS)
  describe(`push notifications over ${binding}`, () => {
    test("tell each state of a task, with the token and the credentials of the client", async () => {
      const path = `/task-${binding.length}`;
      receiver.answer = (request) =>
        request.path === path && receiver.received.filter((each) => each.path === path).length === 1
          ? { status: 503 }
          : {};
      const client = await open(binding);
      const push = configOf(path, { token: "t-1", authentication: { scheme: "Bearer", credentials: "secret words" } });
      const configuration = { taskPushNotificationConfig: push };
      const waiting = asTask(await client.sendMessage(messageOf('/tool locate {"precise":true}', { configuration })));
      assert.equal(waiting.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED);
      const parts = waiting.status.message?.parts ?? [];
      const data: Parsed = parts[1]?.content?.value;
      const [call] = data.pending_client_calls;
      assert.deepEqual([call.tool_name, call.input], ["locate", { precise: true }]);
      // The first attempt fails and is repeated.
      await until(() => statesAt(path).includes("TASK_STATE_INPUT_REQUIRED"));
      const results = [{ tool_execution_id: call.tool_execution_id, output: { latitude: 52.5 } }];
      const done = asTask(await client.sendMessage(messageOf([dataPart({ results })], { taskId: waiting.id })));
      assert.equal(done.status?.state, TaskState.TASK_STATE_COMPLETED);
      await until(() => statesAt(path).includes("TASK_STATE_COMPLETED"));
      const requests = receiver.received.filter((request) => request.path === path);
      for (const { headers, body } of requests) {
        assert.equal(headers["x-a2a-notification-token"], "t-1");
        assert.equal(headers.authorization, "Bearer secret words");
        assert.match(String(headers["x-service-signature"]), /^sha256=/);
        const { taskId, contextId } = JSON.parse(body).statusUpdate;
        assert.deepEqual([taskId, contextId], [waiting.id, waiting.contextId]);
      }
    });

    test("are configured, read, listed and deleted by the client of the protocol", async () => {
      const client = await open(binding);
      const path = `/late-${binding.length}`;
      const { id: taskId } = asTask(await client.sendMessage(messageOf("Hello")));
      const { transport } = client;
      const config = configOf(path, { id: "mine", taskId, token: "t-2" });
      assert.deepEqual(await transport.createTaskPushNotificationConfig(config, VERSIONED), config);
      // The task has ended before.
      await until(() => statesAt(path).length > 0);
      // Twice if the end of the task is fanned out after the webhook was created.
      assert.deepEqual([...new Set(statesAt(path))], ["TASK_STATE_COMPLETED"]);
      const replaced = { ...config, token: "t-3" };
      assert.deepEqual(await transport.createTaskPushNotificationConfig(replaced, VERSIONED), replaced);
      const other = await transport.createTaskPushNotificationConfig({ ...config, id: "" }, VERSIONED);
      assert.match(other.id, /^[0-9a-f-]{36}$/);
      const list = async (): Promise<unknown[]> =>
        (await transport.listTaskPushNotificationConfig({ tenant: "", taskId, pageSize: 10, pageToken: "" }, VERSIONED))
          .configs;
      assert.deepEqual(await list(), [replaced, other]);
      const named = { tenant: "", taskId, id: "mine" };
      assert.deepEqual(await transport.getTaskPushNotificationConfig(named, VERSIONED), replaced);
      await transport.deleteTaskPushNotificationConfig(named, VERSIONED);
      await transport.deleteTaskPushNotificationConfig(named, VERSIONED);
      assert.deepEqual(await list(), [other]);
      await assert.rejects(transport.getTaskPushNotificationConfig(named, VERSIONED), { name: "TaskNotFoundError" });
    });

    test("are the caller's own, need an https address, and a key that may write", async () => {
      const client = await open(binding);
      const { id: taskId } = asTask(await client.sendMessage(messageOf("Hello")));
      const config = configOf("/own", { id: "own", taskId });
      const stranger = await a2a.signUp(`mallory-${binding.length}`);
      const theirs = await open(binding, stranger.token);
      const notFound = { name: "TaskNotFoundError" };
      await assert.rejects(theirs.transport.createTaskPushNotificationConfig(config, VERSIONED), notFound);
      for (const wrong of [{ url: "http://example.com/" }, { url: "" }, { id: "x".repeat(91) }, { token: "a\nb" }])
        await assert.rejects(client.transport.createTaskPushNotificationConfig({ ...config, ...wrong }, VERSIONED), {
          name: "RequestMalformedError",
        });
      const reader = await open(binding, await ada.makeKey(["read", "run"]));
      await assert.rejects(reader.transport.createTaskPushNotificationConfig(config, VERSIONED), /scope/i);
      const sharer = await open(binding, await ada.makeKey(["read", "share"]));
      await sharer.transport.createTaskPushNotificationConfig(config, VERSIONED);
    });

    test("with a key that may not share fail before the task starts", async () => {
      const runner = await open(binding, await ada.makeKey(["run"]));
      for (const returnImmediately of [false, true]) {
        const configuration = { returnImmediately, taskPushNotificationConfig: configOf("/never") };
        const request = messageOf("Hello", { configuration });
        await assert.rejects(runner.sendMessage(request), /lacks the scope/);
        await assert.rejects(runner.sendMessageStream(request).next(), /lacks the scope/);
        const { messageId } = request.message;
        assert.deepEqual(await ada.send("GET", `/rest/v1/messages?client_message_id=eq.${messageId}`), []);
      }
    });

    test("to an address that the policy or the protocol refuses fail before the task starts", async () => {
      const client = await open(binding);
      const refused = [
        { url: "https://169.254.169.254/" },
        { url: "https://user:word@example.com/" },
        { token: "a\nb" },
      ];
      for (const wrong of refused) {
        const request = messageOf("Hello", { configuration: { taskPushNotificationConfig: configOf("/no", wrong) } });
        await assert.rejects(client.sendMessage(request), { name: "RequestMalformedError" });
        const { messageId } = request.message;
        assert.deepEqual(await ada.send("GET", `/rest/v1/messages?client_message_id=eq.${messageId}`), []);
      }
      assert.deepEqual(await ada.send("GET", "/rest/v1/webhooks?run_id=is.null"), []);
    });

    test("are stored once when a message continues a task", async () => {
      const client = await open(binding);
      const { id: taskId } = asTask(await client.sendMessage(messageOf("/tool locate {}")));
      const [call] = await ada.send("GET", `/rest/v1/tool_executions?run_id=eq.${taskId}&select=id`);
      const results = dataPart({ results: [{ tool_execution_id: call.id, output: "here" }] });
      const configuration = { taskPushNotificationConfig: configOf("/continued") };
      await client.sendMessage(messageOf([results], { taskId, configuration }));
      const query = { tenant: "", taskId, pageSize: 10, pageToken: "" };
      const { configs } = await client.transport.listTaskPushNotificationConfig(query, VERSIONED);
      assert.equal(configs.length, 1);
    });
  });

test("a stream ends as input-required when the task waits for a result of the client", async () => {
  const states: TaskState[] = [];
  for await (const { payload } of (await open()).sendMessageStream(messageOf("/tool locate {}")))
    if (payload?.$case === "statusUpdate") states.push(payload.value.status?.state ?? 0);
  assert.equal(states.at(-1), TaskState.TASK_STATE_INPUT_REQUIRED);
});
