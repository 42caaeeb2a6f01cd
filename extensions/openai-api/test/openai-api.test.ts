import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import OpenAI, { APIError } from "openai";
import { Agent, fetch as fetchWith, type RequestInit } from "undici";
import { createTestDatabase, type TestDatabase } from "../../../server/test/support/database.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let database: TestDatabase;
let service: ServiceHere;
let dispatcher: Agent;
let ada: User;
let bob: User;

interface User {
  readonly token: string;
  readonly client: OpenAI;
  readonly agent: string;
}

const viaAuthority = (async (input: string, init?: RequestInit) =>
  fetchWith(input, { ...init, dispatcher })) as unknown as typeof fetch;

const openClient = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.credentials.url}/v1`, fetch: viaAuthority, maxRetries: 0 });

/** A call of the service's own interface. Untyped: assertions check its members. */
async function call(path: string, bearer: string | null, body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetchWith(new URL(path, service.credentials.url), {
    method: body === undefined ? "GET" : "POST",
    dispatcher,
    headers: {
      apikey: service.credentials.anon_key,
      prefer: "return=representation",
      "content-type": "application/json",
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

async function insert(table: string, bearer: string, row: object): Promise<ReturnType<typeof JSON.parse>> {
  const [made] = await call(`/rest/v1/${table}`, bearer, row);
  return made;
}

async function signUp(name: string): Promise<User> {
  const credentials = { email: `${name}@example.com`, password: "correct horse battery" };
  const { access_token: token } = await call("/auth/v1/signup", null, credentials);
  const { id } = await insert("agents", token, { name });
  return { token, client: openClient(token), agent: `agent:${id}` };
}

async function makeKey(scopes: readonly string[]): Promise<string> {
  return (await call("/functions/v1/api-keys", ada.token, { action: "create", name: "n", scopes })).key;
}

async function waitFor<T>(what: string, read: () => Promise<T | null | undefined>): Promise<T> {
  for (const startedAt = performance.now(); performance.now() - startedAt < WAIT_MS; await delay(20)) {
    const found = await read();
    if (found !== null && found !== undefined) return found;
  }
  throw new Error(`waited too long for ${what}`);
}

/** Status, code and parameter of the error of a call. */
async function reject(promise: Promise<unknown>): Promise<unknown[]> {
  const error = await promise.then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof APIError, String(error));
  return [error.status, error.code, error.param];
}

const ask = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: "user", content }];

before(async () => {
  database = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-openai-");
  service = await startServiceHere(cleanup, {
    dataDir,
    env: {
      DATABASE_URL: database.adminUrl,
      MASTER_KEY: database.masterKey,
      EXTENSIONS: "openai-api",
      LIMIT_API: "1000",
      LIMIT_AI: "1000",
    },
  });
  dispatcher = new Agent({ connect: { ca: readFileSync(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.close());
  ada = await signUp("Ada");
  bob = await signUp("Bob");
});
after(async () => {
  for (const close of closers) await close();
});

describe("models", () => {
  test("are the agents and swarms of the caller, who needs a token or a key", async () => {
    const swarm = await insert("swarms", ada.token, { name: "Newsroom" });
    const { data } = await ada.client.models.list();
    assert.deepEqual(data.map(({ id }) => id).sort(), [ada.agent, `swarm:${swarm.id}`].sort());
    const model = await openClient(await makeKey(["read"])).models.retrieve(ada.agent);
    assert.deepEqual([model.id, model.object, (model as { name?: string }).name], [ada.agent, "model", "Ada"]);
    assert.deepEqual(await reject(ada.client.embeddings.create({ model: "m", input: "x" })), [
      503,
      "PROVIDER_NOT_CONFIGURED",
      null,
    ]);
    assert.deepEqual(await reject(ada.client.get("/chat/completions?x=1")), [405, "METHOD_NOT_ALLOWED", null]);
    assert.deepEqual(await reject(ada.client.models.retrieve(bob.agent)), [404, "AGENT_NOT_FOUND", "model"]);
    assert.deepEqual(await reject(bob.client.models.retrieve(`swarm:${swarm.id}`)), [404, "SWARM_NOT_FOUND", "model"]);
    assert.deepEqual(await reject(openClient("sk_forged").models.list()), [401, "UNAUTHORIZED", null]);
    assert.deepEqual(await reject(openClient(service.credentials.anon_key).models.list()), [401, "UNAUTHORIZED", null]);
  });
});

describe("chat completions", () => {
  test("answer the conversation of the call, and keep nothing of it", async () => {
    const before = await call("/rest/v1/swarms?select=id", ada.token);
    const conversation: OpenAI.ChatCompletionMessageParam[] = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello, Ada." },
      { role: "user", content: [{ type: "text", text: "Who am I?" }] },
    ];
    const complete = (messages: readonly OpenAI.ChatCompletionMessageParam[]) =>
      ada.client.chat.completions.create({ model: ada.agent, messages: [...messages], temperature: 0 });
    const first = await complete(conversation);
    assert.match(first.id, /^chatcmpl-[0-9a-f-]{36}$/);
    assert.deepEqual([first.object, first.model, first.choices.length], ["chat.completion", ada.agent, 1]);
    const text = first.choices[0]?.message.content ?? "";
    assert.match(text, /^\[simulated\] .*"Who am I\?".* \(3 messages, 0 tools;/);
    assert.equal(first.choices[0]?.finish_reason, "stop");
    assert.ok((first.usage?.prompt_tokens ?? 0) > 0 && (first.usage?.completion_tokens ?? 0) > 0);

    // The simulated answer depends on the system prompt and the messages alone.
    assert.equal((await complete(conversation)).choices[0]?.message.content, text);
    assert.notEqual((await complete(conversation.slice(1))).choices[0]?.message.content, text);
    assert.deepEqual(await call("/rest/v1/swarms?select=id", ada.token), before);
    assert.deepEqual(await call("/rest/v1/messages?select=id", ada.token), []);
    const { rows } = await database.owner.query(
      "select count(*)::int from public.usage_records where payer_id is not null",
    );
    assert.deepEqual(rows, [{ count: 3 }]);
  });

  test("stream chunks with usage, and honour the settings of the call", async () => {
    const body = { model: ada.agent, messages: ask("Tell me more") };
    const stream = await ada.client.chat.completions.create({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ""));
    assert.ok(deltas.length > 5, "in pieces");
    assert.deepEqual(chunks[0]?.choices[0]?.delta.role, "assistant");
    assert.deepEqual([chunks.at(-1)?.choices, chunks.at(-2)?.choices[0]?.finish_reason], [[], "stop"]);
    assert.ok((chunks.at(-1)?.usage?.total_tokens ?? 0) > 0);
    const whole = await ada.client.chat.completions.create(body);
    assert.equal(deltas.join(""), whole.choices[0]?.message.content);

    const short = await ada.client.chat.completions.create({ ...body, max_completion_tokens: 3 });
    assert.equal(short.choices[0]?.finish_reason, "length");
  });

  test("return values of a schema", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
    const format = { type: "json_schema", json_schema: { name: "place", schema } } as const;
    const body = { model: ada.agent, messages: ask("Where?"), response_format: format };
    const parsed = await ada.client.chat.completions.parse(body);
    assert.deepEqual(parsed.choices[0]?.message.parsed, { city: "simulated" });
    const runner = ada.client.chat.completions.stream(body);
    assert.equal(await runner.finalContent(), '{"city":"simulated"}');
  });

  test("store the conversation only when asked", async () => {
    const body = { model: bob.agent, messages: ask("Remember this") };
    await bob.client.chat.completions.create(body);
    const { id } = await bob.client.chat.completions.create({ ...body, store: true });
    const [swarm, ...others] = await call("/rest/v1/swarms?select=id,name,messages(content)", bob.token);
    assert.deepEqual([swarm.name, swarm.messages.length, others], ["Remember this", 2, []]);
    const [run] = await call(`/rest/v1/runs?id=eq.${id.slice("chatcmpl-".length)}`, bob.token);
    assert.equal(run.swarm_id, swarm.id);
  });

  test("repeat a call with the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { model: ada.agent, messages: ask("Once") };
    const [first, second] = [
      await ada.client.chat.completions.create(body, { headers }),
      await ada.client.chat.completions.create(body, { headers }),
    ];
    assert.deepEqual(second, first);
    // The events of a run are deleted before its key expires, if the operator keeps them for a shorter time.
    const runId = first.id.slice("chatcmpl-".length);
    await database.owner.query("delete from public.run_events where run_id = $1", [runId]);
    assert.deepEqual(await ada.client.chat.completions.create(body, { headers }), first);
    const other = { ...body, messages: ask("Twice") };
    assert.deepEqual(await reject(ada.client.chat.completions.create(other, { headers })), [
      422,
      "IDEMPOTENCY_KEY_REUSED",
      null,
    ]);
  });

  test("cancel the run of an agent when the client disconnects, and start anew when it repeats the call", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const body = { model: ada.agent, messages: ask("/sleep 600000"), stream: true } as const;
    const findRun = async (status: string) => {
      const sql = `select r.id from public.runs r join public.messages m on m.id = r.message_id
                   where m.content like '/sleep%' and r.status = $1`;
      return (await database.owner.query<{ id: string }>(sql, [status])).rows[0]?.id;
    };
    const leave = async (): Promise<string> => {
      const abort = new AbortController();
      const left = reject(ada.client.chat.completions.create({ ...body }, { headers, signal: abort.signal }));
      const id = await waitFor("the run", () => findRun("running"));
      abort.abort();
      await left;
      return id;
    };
    const first = await leave();
    assert.equal(await waitFor("the end of the run", () => findRun("cancelled")), first);
    assert.notEqual(await leave(), first);
  });

  test("run the agent's tools, and wait for an approval", async () => {
    const guarded = {
      name: "publish",
      description: "Publishes an article.",
      kind: "http",
      requires_approval: true,
      input_schema: { type: "object" },
      config: { method: "POST", url: "https://news.example.com/articles" },
    };
    const { id: guardedId } = await insert("tools", ada.token, guarded);
    const [{ id: builtinId }] = await call("/rest/v1/tools?name=eq.calculator&select=id", ada.token);
    for (const tool_id of [guardedId, builtinId])
      await insert("agent_tools", ada.token, { agent_id: ada.agent.slice("agent:".length), tool_id });
    const messages = ask('/tool calculator {"expression":"6*7"}\n/tool publish {}');
    const answer = ada.client.chat.completions.stream({ model: ada.agent, messages }).finalContent();
    const pending = await waitFor("the call", async () => {
      const path = "/rest/v1/tool_executions?status=eq.pending_approval&select=id,run_id";
      return (await call(path, ada.token))[0];
    });
    await call("/functions/v1/agent-respond", ada.token, {
      action: "approve",
      run_id: pending.run_id,
      decisions: [{ tool_execution_id: pending.id, approved: false, reason: "Not confirmed yet" }],
    });
    assert.match((await answer) ?? "", /returned: .*Not confirmed yet.* 2 tool results;/);
  });

  test("end where the run waits for a signal, and the run goes on", async () => {
    const [{ id: tool_id }] = await call("/rest/v1/tools?name=eq.wait_for_event&select=id", ada.token);
    await insert("agent_tools", ada.token, { agent_id: ada.agent.slice("agent:".length), tool_id });
    const messages = ask('/tool wait_for_event {"name":"go","seconds":3600}');
    const body = { model: ada.agent, messages, store: true };
    const completion = await ada.client.chat.completions.create(body);
    assert.deepEqual([completion.choices[0]?.finish_reason, completion.choices[0]?.message.content], ["stop", ""]);
    const input = messages[0]?.content as string;
    const response = await ada.client.responses.create({ model: ada.agent, input, store: true });
    assert.deepEqual([response.status, response.incomplete_details?.reason as string], ["incomplete", "waiting"]);
    const runId = response.id.slice("resp_".length);
    await call("/functions/v1/agent-respond", ada.token, { action: "signal", run_id: runId, name: "go" });
    const later = async (): Promise<true | null> =>
      (await ada.client.responses.retrieve(response.id)).status === "completed" || null;
    await waitFor("the answer", later);
    const chatId = completion.id.slice("chatcmpl-".length);
    await call("/functions/v1/agent-respond", ada.token, { action: "cancel", run_id: chatId });
  });

  test("let the client execute its own functions, and continue the run with their results", async () => {
    const tools = ["locate", "greet"].map((name) => ({
      type: "function" as const,
      function: { name, description: `Can ${name}.`, parameters: {} },
    }));
    const question = ask('/tool locate {"precise":true} /tool greet {}');
    const body = { model: ada.agent, tools };
    for (const isStreamed of [false, true]) {
      const complete = (messages: OpenAI.ChatCompletionMessageParam[]) =>
        isStreamed
          ? ada.client.chat.completions.stream({ ...body, messages }).finalChatCompletion()
          : ada.client.chat.completions.create({ ...body, messages });
      const { id, choices, usage: usageOfCalls } = await complete(question);
      const [choice] = choices;
      assert.ok(choice);
      assert.deepEqual([choice.finish_reason, choice.message.content ?? ""], ["tool_calls", ""]);
      const calls = (choice.message.tool_calls ?? []).flatMap((call) => (call.type === "function" ? [call] : []));
      const asked = calls.map(({ function: { name, arguments: input } }) => [name, JSON.parse(input)]);
      assert.deepEqual(Object.fromEntries(asked), { locate: { precise: true }, greet: {} });
      const results = calls.map((call) => ({ role: "tool" as const, tool_call_id: call.id, content: "at home" }));
      const messages = [...question, choice.message, ...results];
      const answered = await complete(messages);
      assert.equal(answered.id, id, "the same run");
      assert.match(
        answered.choices[0]?.message.content ?? "",
        /^\[simulated\] .* returned: at home \(.*, 2 tool results;/,
      );
      if (!isStreamed) {
        const used = [usageOfCalls, answered.usage].map((usage) => usage?.total_tokens ?? 0);
        assert.ok(used.every((tokens) => tokens > 0));
        const { rows } = await database.owner.query<{ tokens: number }>(
          "select (usage ->> 'total_tokens')::int as tokens from public.runs where usage is not null order by created_at desc limit 1",
        );
        assert.deepEqual([(used[0] ?? 0) + (used[1] ?? 0)], [rows[0]?.tokens], "the parts of one run");
      }
      const repeated = await complete(messages);
      assert.deepEqual(repeated, answered, "a repeated request gets the same response, with the same usage");
    }
  });

  test("read results of calls that no run waits for as a part of the conversation", async () => {
    const called = { name: "locate", arguments: "{}" };
    const call = { id: "call_1", type: "function" as const, function: called };
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      ...ask("Where am I?"),
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "at home" },
    ];
    const answer = async (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>): Promise<string> => {
      const body = { model: ada.agent, messages, ...more, stream: false as const };
      const { choices } = await ada.client.chat.completions.create(body);
      return choices[0]?.message.content ?? "";
    };
    const tools = [{ type: "function" as const, function: { name: "locate", parameters: {} } }];
    assert.match(await answer({ tools }), /returned: at home \(.*, 1 tool result;/);
    const goOn = (content: string): Promise<string> => {
      const result = { role: "tool" as const, tool_call_id: "call_1", content };
      const said = { role: "assistant" as const, content: "At home." };
      return answer({ tools, messages: [...messages.slice(0, -1), result, said, ...ask("Are you sure?")] });
    };
    // The reply ends with a hash of what the model gets.
    assert.equal(await goOn("at home"), await goOn("at home"));
    assert.notEqual(await goOn("at home"), await goOn("at sea"));
  });

  test("name errors in the form of the API, with the code of the service", async () => {
    const { completions } = ada.client.chat;
    const body = { model: ada.agent, messages: ask("Hello") };
    assert.deepEqual(await reject(completions.create({ ...body, model: "gpt-5" })), [404, "model_not_found", "model"]);
    assert.deepEqual(await reject(completions.create({ ...body, model: `agent:${randomUUID()}` })), [
      404,
      "AGENT_NOT_FOUND",
      "model",
    ]);
    assert.deepEqual(await reject(completions.create({ ...body, model: bob.agent })), [403, "PERMISSION_DENIED", null]);
    assert.deepEqual(await reject(completions.create({ ...body, n: 2 })), [400, "unsupported_parameter", "n"]);
    assert.deepEqual(await reject(completions.create({ ...body, temperature: 3 })), [
      400,
      "VALIDATION_ERROR",
      "temperature",
    ]);
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } } as const;
    assert.deepEqual(await reject(completions.create({ ...body, messages: [{ role: "user", content: [image] }] })), [
      400,
      "unsupported_parameter",
      "messages[0].content[0]",
    ]);
    const reader = openClient(await makeKey(["read"]));
    assert.deepEqual(await reject(reader.chat.completions.create(body)), [403, "INSUFFICIENT_SCOPE", null]);
    for (const stream of [false, true])
      assert.deepEqual(await reject(completions.create({ ...body, messages: ask("/fail refusal"), stream })), [
        502,
        "PROVIDER_ERROR",
        null,
      ]);
    const broken = completions.stream({ ...body, messages: ask("/fail midstream") });
    assert.deepEqual(await reject(broken.finalContent()), [undefined, "PROVIDER_ERROR", null]);
    for (const messages of [[], [{ role: "assistant", content: "Hello" }], [{ role: "user", content: 7 }]])
      assert.equal((await reject(completions.create({ ...body, messages: messages as never })))[0], 400);
  });
});

describe("a swarm as a model", () => {
  test("posts the last message of the user, and names the agents that answer", async () => {
    const swarm = await insert("swarms", ada.token, { name: "Pair" });
    for (const name of ["Eve", "Fay"]) {
      const { id } = await insert("agents", ada.token, { name });
      await insert("swarm_agents", ada.token, { swarm_id: swarm.id, agent_id: id });
    }
    const { choices } = await openClient(await makeKey(["read", "run"])).chat.completions.create({
      model: `swarm:${swarm.id}`,
      messages: [{ role: "system", content: "ignored" }, ...ask("first, ignored"), ...ask("Is the bridge open?")],
    });
    assert.match(choices[0]?.message.content ?? "", /^\[Eve\]: \[simulated\] .*\n\n\[Fay\]: \[simulated\] /s);
    const said = await call(
      `/rest/v1/messages?swarm_id=eq.${swarm.id}&order=seq&select=sender_name,content`,
      ada.token,
    );
    assert.deepEqual(
      [said.length, said[0].content, said[1].sender_name, said[2].sender_name],
      [3, "Is the bridge open?", "Eve", "Fay"],
    );
    const stream = ada.client.responses.stream({ model: `swarm:${swarm.id}`, input: "And the tunnel?" });
    const { id, output } = await stream.finalResponse();
    assert.deepEqual(
      output.map((item) => (item as { agent_name?: string }).agent_name),
      ["Eve", "Fay"],
    );
    const stored = await ada.client.responses.retrieve(id);
    assert.deepEqual([stored.model, stored.output.length], [`swarm:${swarm.id}`, 2]);
    assert.deepEqual(await reject(bob.client.responses.create({ model: `swarm:${swarm.id}`, input: "Hello" })), [
      404,
      "SWARM_NOT_FOUND",
      "model",
    ]);
  });
});

describe("responses", () => {
  test("answer, stream, and return values of a schema", async () => {
    const body = { model: ada.agent, instructions: "Be brief.", input: "Is the bridge open?" };
    const whole = await ada.client.responses.create(body);
    assert.partialDeepStrictEqual(whole, { status: "completed", store: false });
    assert.equal(whole.output.length, 1);
    assert.match(whole.output_text, /^\[simulated\] .*\(1 message,/);
    assert.ok((whole.usage?.input_tokens ?? 0) > 0);
    const types: string[] = [];
    const stream = ada.client.responses.stream(body);
    for await (const { type } of stream) if (types.at(-1) !== type) types.push(type);
    assert.deepEqual(types, [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    assert.equal((await stream.finalResponse()).output_text, whole.output_text);
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const format = { type: "json_schema", name: "count", schema } as const;
    const parsed = await ada.client.responses.parse({ ...body, text: { format } });
    assert.deepEqual(parsed.output_parsed, { n: 0 });
  });

  test("call functions of the client, who continues with their results", async () => {
    const parameters = { type: "object", properties: {} };
    const tools = [{ type: "function" as const, name: "locate", description: "", parameters, strict: false }];
    const body = { model: ada.agent, tools, input: "/tool locate {}" };
    for (const isStreamed of [false, true]) {
      const first = await (isStreamed
        ? ada.client.responses.stream(body).finalResponse()
        : ada.client.responses.create(body));
      const [call] = first.output;
      assert.ok(call?.type === "function_call");
      assert.deepEqual([first.status, call.name, call.arguments], ["completed", "locate", "{}"]);
      const input = [{ type: "function_call_output" as const, call_id: call.call_id, output: "at home" }];
      const next = { ...body, input, previous_response_id: first.id };
      const second = await (isStreamed
        ? ada.client.responses.stream(next).finalResponse()
        : ada.client.responses.create(next));
      assert.match(second.output_text, /returned: at home/);
      for (const { usage } of [first, second]) assert.ok((usage?.input_tokens ?? 0) > 0 && usage?.output_tokens);
      if (!isStreamed) assert.deepEqual(await ada.client.responses.create(next), second);
    }
  });

  test("that are stored can be retrieved and continued by their user", async () => {
    const first = await ada.client.responses.create({ model: ada.agent, input: "My name is Ada.", store: true });
    const read = await ada.client.responses.retrieve(first.id);
    assert.deepEqual([read.id, read.status, read.model, read.output], [first.id, "completed", ada.agent, first.output]);
    const next = { model: ada.agent, input: "Who am I?", previous_response_id: first.id };
    assert.match((await ada.client.responses.create(next)).output_text, /\(3 messages,/);
    assert.deepEqual(await reject(bob.client.responses.retrieve(first.id)), [404, "RUN_NOT_FOUND", null]);
    assert.deepEqual(await reject(bob.client.responses.create({ ...next, model: bob.agent })), [
      404,
      "RUN_NOT_FOUND",
      null,
    ]);
    const hidden = await ada.client.responses.create({ model: ada.agent, input: "Forget this." });
    assert.deepEqual(await reject(ada.client.responses.retrieve(hidden.id)), [404, "RUN_NOT_FOUND", null]);
  });

  test("continue a long conversation with its end, or not at all", async () => {
    const swarm = await insert("swarms", ada.token, { name: "long" });
    const agentId = ada.agent.slice("agent:".length);
    await insert("swarm_agents", ada.token, { swarm_id: swarm.id, agent_id: agentId });
    const post = (from: number, to: number): Promise<unknown> =>
      insert(
        "messages",
        ada.token,
        Array.from({ length: to - from }, (_, index) => ({ swarm_id: swarm.id, content: `message ${from + index}` })),
      );
    const model = `swarm:${swarm.id}`;
    await post(0, 100);
    const short = await ada.client.responses.create({ model, input: "How many?" });
    await post(100, 1_100);
    const long = await ada.client.responses.create({ model, input: "How many?" });
    const next = { model: ada.agent, input: "And now?" };
    const continued = await ada.client.responses.create({ ...next, previous_response_id: short.id });
    assert.match(continued.output_text, /\(103 messages,/);
    assert.deepEqual(await reject(ada.client.responses.create({ ...next, previous_response_id: long.id })), [
      400,
      "VALIDATION_ERROR",
      "messages",
    ]);
  });

  test("run in the background until they are cancelled", async () => {
    const body = { model: ada.agent, input: "/sleep 600000", background: true };
    assert.deepEqual(await reject(ada.client.responses.create(body)), [400, "invalid_value", "store"]);
    const started = await ada.client.responses.create({ ...body, store: true });
    assert.equal(started.status, "in_progress");
    assert.deepEqual(await reject(bob.client.responses.cancel(started.id)), [404, "RUN_NOT_FOUND", null]);
    assert.equal((await ada.client.responses.cancel(started.id)).status, "cancelled");
    assert.equal((await ada.client.responses.retrieve(started.id)).status, "cancelled");
  });

  test("name errors in the form of the API, also in a stream", async () => {
    const { responses } = ada.client;
    const body = { model: ada.agent, input: "Hello" };
    assert.deepEqual(await reject(responses.create({ ...body, tools: [{ type: "web_search" }] })), [
      400,
      "unsupported_parameter",
      "tools[0]",
    ]);
    for (const stream of [false, true])
      assert.deepEqual(await reject(responses.create({ ...body, input: "/fail refusal", stream })), [
        502,
        "PROVIDER_ERROR",
        null,
      ]);
    const broken = responses.stream({ ...body, input: "/fail midstream" });
    assert.equal((await reject(broken.finalResponse()))[1], "PROVIDER_ERROR");
  });
});
