import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { after, before, test } from "node:test";
import OpenAI, { APIError } from "openai";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { extension } from "../src/index.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
const KEY = "key-of-the-server";
const MODEL = "text-embedding-3-small";
const VECTOR = [0.5, -0.25, 3];

let server: Server;
let service: ExtendedService;
let ada: User;
let client: OpenAI;
/** What the server was sent, the newest first. */
const received: { readonly headers: Parsed; readonly body: Parsed }[] = [];
/** How the server answers, by the first text of the input. */
const ANSWERS: Readonly<Record<string, (count: number) => readonly [status: number, body: unknown]>> = {
  limited: () => [429, { error: { message: `${KEY} has no quota` } }],
  failed: () => [500, { error: { message: `${KEY} failed` } }],
  refused: () => [401, { error: { message: `Incorrect API key provided: ${KEY}` } }],
  long: () => [400, { error: { message: "maximum context length" } }],
  text: () => [200, "<html>"],
  short: () => [200, { data: [] }],
  odd: () => [200, { data: [{ index: 0, embedding: ["x"] }] }],
};

before(async () => {
  server = createServer((request, response) => {
    void json(request).then((body) => {
      const { input, encoding_format: format } = body as { input: string[]; encoding_format: string };
      received.unshift({ headers: request.headers, body });
      // The reverse order, and floats whatever was asked for.
      const data = input.map((_, index) => ({ object: "embedding", index, embedding: [index, ...VECTOR] })).reverse();
      const usage = { prompt_tokens: 7, total_tokens: 7 };
      const [status, answer] = ANSWERS[input[0] ?? ""]?.(input.length) ?? [200, { data, usage, format }];
      response.writeHead(status, { "content-type": "application/json", ...(status === 429 && { "retry-after": "9" }) });
      response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup.after(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  service = await startExtendedService(cleanup, {
    EXTENSIONS: "openai-api",
    OPENAI_API_EMBEDDINGS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`,
    OPENAI_API_EMBEDDINGS_KEY: KEY,
    OPENAI_API_EMBEDDINGS_MODELS: `${MODEL},other`,
    LIMIT_API: "1000",
    LIMIT_AI: "40",
  });
  ada = await service.signUp("ada");
  client = open(ada.token);
});
after(async () => {
  for (const close of closers) await close();
});

const open = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${service.url}/v1`, fetch: service.fetch, maxRetries: 0 });

async function reject(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof APIError, String(error));
  return error;
}

test("embeddings come from the model that the operator has set, in the format that the client asks for", async () => {
  // The client asks for base64 unless it is told otherwise, and decodes it.
  const plain = await client.embeddings.create({ model: MODEL, input: ["one", "two"], dimensions: 4 });
  assert.deepEqual(
    plain.data.map(({ index, embedding }) => [index, ...embedding]),
    [
      [0, 0, ...VECTOR],
      [1, 1, ...VECTOR],
    ],
  );
  assert.deepEqual([plain.model, plain.object, plain.usage.total_tokens], [MODEL, "list", 7]);
  assert.deepEqual(received[0]?.body, {
    model: MODEL,
    input: ["one", "two"],
    encoding_format: "base64",
    dimensions: 4,
  });
  assert.equal(received[0]?.headers.authorization, `Bearer ${KEY}`);
  const floats = await client.embeddings.create({ model: "other", input: "one", encoding_format: "float" });
  assert.deepEqual(floats.data[0]?.embedding, [0, ...VECTOR]);
  const base64 = await client.embeddings.create({ model: MODEL, input: "one", encoding_format: "base64" });
  assert.equal(typeof base64.data[0]?.embedding, "string");
});

test("errors of the server are told without its words", async () => {
  for (const [input, ...expected] of [
    ["limited", 429, "RATE_LIMITED"],
    ["failed", 502, "PROVIDER_ERROR"],
    ["refused", 502, "PROVIDER_ERROR"],
    ["long", 400, "invalid_value"],
    ["text", 502, "PROVIDER_ERROR"],
    ["short", 502, "PROVIDER_ERROR"],
    ["odd", 502, "PROVIDER_ERROR"],
  ] as const) {
    const error = await reject(client.embeddings.create({ model: MODEL, input }));
    assert.deepEqual([error.status, error.code], expected, input);
    assert.ok(!JSON.stringify(error.error).includes(KEY));
    if (input === "limited") assert.equal(error.headers?.get("retry-after"), "9");
  }
});

test("input is checked before it is sent", async () => {
  const count = received.length;
  const ask = async (more: object): Promise<unknown[]> => {
    const { status, code, param } = await reject(client.embeddings.create({ model: MODEL, input: "x", ...more }));
    return [status, code, param];
  };
  assert.deepEqual(await ask({ model: "gpt-5" }), [404, "model_not_found", "model"]);
  assert.deepEqual(await ask({ input: [] }), [400, "invalid_value", "input"]);
  assert.deepEqual(await ask({ input: Array(2_049).fill("x") }), [400, "invalid_value", "input"]);
  assert.deepEqual(await ask({ input: ["x", ""] }), [400, "invalid_value", "input[1]"]);
  for (const input of [[1, 2], [[1, 2]]])
    assert.deepEqual(await ask({ input }), [400, "unsupported_parameter", "input"]);
  for (const dimensions of [0, 1.5, "7", 1e9])
    assert.deepEqual(await ask({ dimensions }), [400, "invalid_value", "dimensions"]);
  assert.deepEqual(await ask({ encoding_format: "int8" }), [400, "invalid_value", "encoding_format"]);
  assert.equal(received.length, count);
});

test("a request counts as an AI response and needs the scope run", async () => {
  const bob = await service.signUp("bob");
  const reader = open(await bob.makeKey(["read"]));
  assert.equal((await reject(reader.embeddings.create({ model: MODEL, input: "x" }))).code, "INSUFFICIENT_SCOPE");
  const runner = open(await bob.makeKey(["run"]));
  const asking = async (): Promise<never> => {
    for (;;) await runner.embeddings.create({ model: MODEL, input: "x" });
  };
  const error = await reject(asking());
  assert.deepEqual([error.status, error.code], [429, "RATE_LIMITED"]);
  const { id } = await bob.insert("agents", { name: "Bert" });
  const completion = open(bob.token).chat.completions.create({
    model: `agent:${id}`,
    messages: [{ role: "user", content: "Hello" }],
  });
  assert.equal((await reject(completion)).code, "RATE_LIMITED");
});

test("the settings need each other", () => {
  const settings = { OPENAI_API_EMBEDDINGS_URL: "https://example.com", OPENAI_API_EMBEDDINGS_KEY: null };
  assert.throws(() => extension.configure?.({ ...settings, OPENAI_API_EMBEDDINGS_MODELS: [] }), /need each other/);
});
