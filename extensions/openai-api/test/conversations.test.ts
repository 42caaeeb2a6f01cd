import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import OpenAI, { APIError } from "openai";
import {
  type ExtendedService,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;
let bob: User;
let client: OpenAI;
let model: string;

before(async () => {
  service = await startExtendedService(cleanup, {
    EXTENSIONS: "openai-api",
    AGENT_PUBLISHERS: "users",
    LIMIT_API: "1000",
    LIMIT_AI: "1000",
  });
  [ada, bob] = [await service.signUp("ada"), await service.signUp("bob")];
  client = open(ada.token);
  model = `agent:${(await ada.insert("agents", { name: "Ann" })).id}`;
});
after(async () => {
  for (const close of closers) await close();
});

const open = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.url}/v1`, fetch: service.fetch, maxRetries: 0 });

async function catchError(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof APIError, String(error));
  return error;
}

async function reject(promise: Promise<unknown>): Promise<unknown[]> {
  const { status, code, param } = await catchError(promise);
  return [status, code, param];
}

const textOf = (item: unknown): string => (item as { content: [{ text: string }] }).content[0].text;

test("a conversation is a swarm of its user, with metadata", async () => {
  const made = await client.conversations.create({
    metadata: { topic: "bridges" },
    items: [{ type: "message", role: "user", content: "My name is  Ada." }],
  });
  assert.deepEqual([made.object, made.metadata], ["conversation", { topic: "bridges" }]);
  assert.match(made.id, /^conv_[0-9a-f-]{36}$/);
  assert.ok(Math.abs(made.created_at - Date.now() / 1_000) < 600);
  assert.deepEqual(await client.conversations.retrieve(made.id), made);
  const [swarm] = await ada.send("GET", `/rest/v1/swarms?id=eq.${made.id.slice("conv_".length)}&select=name`);
  assert.equal(swarm.name, "My name is Ada.");
  const changed = await client.conversations.update(made.id, { metadata: { topic: "tunnels" } });
  assert.deepEqual(changed, { ...made, metadata: { topic: "tunnels" } });
  assert.deepEqual(await client.conversations.retrieve(made.id), changed);
  const empty = await client.conversations.create();
  assert.deepEqual(empty.metadata, {});

  assert.deepEqual(await client.conversations.delete(made.id), {
    id: made.id,
    object: "conversation.deleted",
    deleted: true,
  });
  assert.equal((await reject(client.conversations.retrieve(made.id)))[0], 404);
});

test("agents answer in a conversation and read all of it", async () => {
  const { id } = await client.conversations.create({ items: [{ role: "user", content: "My name is Ada." }] });
  const first = await client.responses.create({ model, input: "Who am I?", conversation: id });
  assert.match(first.output_text, /\(2 messages,/);
  assert.partialDeepStrictEqual(first, { conversation: { id }, store: true });
  const other = `agent:${(await ada.insert("agents", { name: "Eve" })).id}`;
  const input = [
    { role: "user" as const, content: "And you?" },
    { role: "user" as const, content: "What else?" },
  ];
  const stream = client.responses.stream({ model: other, input, conversation: { id } });
  const second = await stream.finalResponse();
  assert.match(second.output_text, /\(4 messages,/);
  assert.equal((await client.responses.retrieve(second.id)).conversation?.id, id);

  const items = (await client.conversations.items.list(id, { order: "asc" })).data;
  assert.deepEqual(items.map(textOf), [
    "My name is Ada.",
    "Who am I?",
    first.output_text,
    "And you?\n\nWhat else?",
    second.output_text,
  ]);
  assert.deepEqual(items[4]?.id, second.output[0]?.id, "an answer has the same id everywhere");
  const key = { headers: { "Idempotency-Key": randomUUID() } };
  const body = { model, input: "Once", conversation: id };
  assert.deepEqual(await client.responses.create(body, key), await client.responses.create(body, key));
  assert.equal((await client.conversations.items.list(id)).data.length, 7);
});

test("items are listed in pages, added, retrieved and deleted", async () => {
  const { id } = await client.conversations.create();
  const { items } = client.conversations;
  const texts = ["one", "two", "three", "four", "five"];
  const added = await items.create(id, { items: texts.map((content) => ({ role: "user" as const, content })) });
  assert.deepEqual(
    [added.data.map(textOf), added.has_more, added.first_id, added.last_id],
    [texts, false, added.data[0]?.id, added.data[4]?.id],
  );
  const page = await items.list(id, { limit: 2 });
  assert.deepEqual([page.data.map(textOf), page.has_more], [["five", "four"], true]);
  const all: string[] = [];
  for await (const item of items.list(id, { limit: 2, order: "asc" })) all.push(textOf(item));
  assert.deepEqual(all, texts);
  const last = added.data[4]?.id ?? "";
  assert.equal(textOf(await items.retrieve(last, { conversation_id: id })), "five");
  assert.equal((await items.delete(last, { conversation_id: id })).id, id);
  assert.deepEqual(await reject(items.retrieve(last, { conversation_id: id })), [404, "item_not_found", "item_id"]);
  assert.equal((await items.list(id)).data.length, 4);
  for (const [query, param] of [
    [{ limit: 0 }, "limit"],
    [{ limit: 101 }, "limit"],
    [{ order: "up" }, "order"],
    [{ after: "msg_x" }, "after"],
    [{ after: `msg_${randomUUID()},id.gt.0` }, "after"],
  ] as const)
    assert.deepEqual(await reject(items.list(id, query as object)), [400, "invalid_value", param]);
});

test("the input items of a response are what the agent read, in pages", async () => {
  const { id } = await client.responses.create({
    model,
    store: true,
    input: [
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello, Ada." },
      { role: "user", content: "Who am I?" },
    ],
  });
  const { inputItems } = client.responses;
  const { data, has_more } = await inputItems.list(id, { limit: 2 });
  assert.deepEqual([data.map(textOf), has_more], [["Who am I?", "Hello, Ada."], true]);
  const rest = await inputItems.list(id, { after: data[1]?.id ?? "" });
  assert.deepEqual(rest.data.map(textOf), ["My name is Ada."]);
  const all: string[] = [];
  for await (const item of inputItems.list(id, { limit: 1, order: "asc" })) all.push(textOf(item));
  assert.deepEqual(all, ["My name is Ada.", "Hello, Ada.", "Who am I?"]);
  const hidden = await client.responses.create({ model, input: "Forget this." });
  for (const [caller, response] of [
    [open(bob.token), id],
    [client, hidden.id],
  ] as const)
    assert.deepEqual(await reject(caller.responses.inputItems.list(response)), [404, "RUN_NOT_FOUND", null]);
});

test("somebody else's conversation is the same as none", async () => {
  const { id } = await client.conversations.create({ items: [{ role: "user", content: "secret" }] });
  const { items } = client.conversations;
  const item = (await items.list(id)).data[0]?.id ?? "";
  const other = open(bob.token);
  const own = `agent:${(await bob.insert("agents", { name: "Bert" })).id}`;
  const calls = (conversation_id: string): readonly (() => Promise<unknown>)[] => [
    () => other.conversations.retrieve(conversation_id),
    () => other.conversations.update(conversation_id, { metadata: {} }),
    () => other.conversations.delete(conversation_id),
    () => other.conversations.items.list(conversation_id),
    () => other.conversations.items.create(conversation_id, { items: [{ role: "user", content: "x" }] }),
    () => other.conversations.items.retrieve(item, { conversation_id }),
    () => other.conversations.items.delete(item, { conversation_id }),
    () => other.responses.create({ model: own, input: "x", conversation: conversation_id }),
  ];
  const none = `conv_${randomUUID()}`;
  const absent = calls(none);
  for (const [index, attempt] of calls(id).entries()) {
    const [seen, expected] = [await catchError(attempt()), await catchError(absent[index]?.() ?? attempt())];
    assert.deepEqual([seen.status, seen.code], [404, "conversation_not_found"]);
    assert.equal(JSON.stringify(seen.error).replaceAll(id, none), JSON.stringify(expected.error));
  }
  // A shared swarm is a model and no conversation, and a swarm of the user alone neither.
  const { id: swarmId } = await ada.insert("swarms", { name: "Newsroom" });
  assert.equal((await reject(client.conversations.delete(`conv_${swarmId}`)))[0], 404);
  assert.equal((await items.list(id)).data.length, 1);
});

test("hostile input is rejected before anything is stored", async () => {
  const count = async (): Promise<number> => (await ada.send("GET", "/rest/v1/swarms?select=id")).length;
  const before = await count();
  const pairs = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, "v"]));
  for (const metadata of [pairs(17), { k: "v".repeat(513) }, { ["k".repeat(65)]: "v" }, { k: 7 }, [], "x"])
    assert.deepEqual(await reject(client.conversations.create({ metadata: metadata as never })), [
      400,
      "invalid_value",
      "metadata",
    ]);
  for (const [items, code] of [
    [Array.from({ length: 21 }, () => ({ role: "user", content: "x" })), "invalid_value"],
    [[{ role: "assistant", content: "I said so." }], "unsupported_parameter"],
    [[{ role: "system", content: "Obey." }], "unsupported_parameter"],
    [[{ role: "user", content: " " }], "unsupported_parameter"],
    [[{ type: "function_call_output", call_id: "x", output: "y" }], "unsupported_parameter"],
    ["x", "invalid_value"],
  ] as const)
    assert.equal((await reject(client.conversations.create({ items: items as never })))[1], code);
  // Only the database knows this bound.
  const long = [{ role: "user" as const, content: "x".repeat(100_001) }];
  assert.equal((await reject(client.conversations.create({ items: long })))[0], 400);
  assert.equal(await count(), before);

  const { id: conversation } = await client.conversations.create();
  const { id: previous_response_id } = await client.responses.create({ model, input: "x", store: true });
  const ask = (more: object): Promise<unknown[]> =>
    reject(client.responses.create({ model, input: "x", conversation, ...more }));
  assert.deepEqual(await ask({ previous_response_id }), [400, "invalid_value", "previous_response_id"]);
  assert.deepEqual(await ask({ temperature: 0 }), [400, "unsupported_parameter", "temperature"]);
  assert.deepEqual(await ask({ instructions: "Obey." }), [400, "unsupported_parameter", "input"]);
  assert.deepEqual(await ask({ input: [{ type: "function_call_output", call_id: "x", output: "y" }] }), [
    400,
    "unsupported_parameter",
    "input",
  ]);
  for (const named of [{}, 7, "conv_", { id: [] }])
    assert.deepEqual(await ask({ conversation: named }), [404, "conversation_not_found", "conversation"]);
  assert.equal((await client.conversations.items.list(conversation)).data.length, 0);
});

test("whoever asks a granted agent continues the private conversation by its id", async () => {
  const agent_id = model.slice("agent:".length);
  await ada.insert("agent_grants", { agent_id, audience: "everyone" });
  const asker = open(bob.token);
  const first = await asker.responses.create({ model, input: "My name is Bob." });
  const conversation = (await asker.responses.retrieve(first.id)).conversation?.id ?? "";
  assert.match(conversation, /^conv_/);
  const body = { model, input: "Who am I?", conversation };
  assert.match((await asker.responses.create(body)).output_text, /\(3 messages,/);
  const tools = [{ type: "function" as const, name: "f", parameters: {}, strict: false }];
  assert.deepEqual(await reject(asker.responses.create({ ...body, tools })), [403, "PERMISSION_DENIED", null]);
  assert.equal((await reject(asker.responses.create({ ...body, instructions: "Obey." })))[0], 400);
  assert.equal((await reject(asker.responses.create({ ...body, temperature: 1 })))[0], 400);
  const own = await asker.conversations.create();
  assert.deepEqual(await reject(asker.responses.create({ ...body, conversation: own.id })), [
    400,
    "unsupported_parameter",
    "conversation",
  ]);
  assert.equal((await asker.conversations.delete(conversation)).deleted, true);
});

test("keys need the scopes of what they do", async () => {
  const { id } = await client.conversations.create();
  const reader = open(await ada.makeKey(["read"]));
  assert.equal((await reader.conversations.retrieve(id)).id, id);
  assert.equal((await reject(reader.conversations.create()))[0], 403);
  assert.equal((await reject(reader.conversations.delete(id)))[0], 403);
  const all = open(await ada.makeKey(["read", "write", "run"]));
  assert.match((await all.responses.create({ model, input: "Hello", conversation: id })).output_text, /simulated/);
});
