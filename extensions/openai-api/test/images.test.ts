import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { APIError } from "openai";
import pg from "pg";
import {
  type ExtendedService,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;
let client: OpenAI;
let model: string;
let database: pg.Client;

before(async () => {
  service = await startExtendedService(cleanup, { EXTENSIONS: "openai-api", LIMIT_API: "1000", LIMIT_AI: "1000" });
  ada = await service.signUp("ada");
  client = new OpenAI({ apiKey: ada.token, baseURL: `${service.url}/v1`, fetch: service.fetch, maxRetries: 0 });
  model = `agent:${(await ada.insert("agents", { name: "Ann" })).id}`;
  database = new pg.Client(service.databaseUrl);
  await database.connect();
  cleanup.after(() => database.end());
});
after(async () => {
  for (const close of closers) await close();
});

const dataUrl = (type: string, bytes: string): string =>
  `data:image/${type};base64,${Buffer.from(bytes, "latin1").toString("base64")}`;
const PNG = "\x89PNG\r\n\x1a\n one";
const FILES: readonly (readonly [type: string, bytes: string])[] = [
  ["png", PNG],
  ["jpeg", "\xff\xd8\xff\xe0 two"],
  ["gif", "GIF89a three"],
  ["webp", "RIFF\0\0\0\0WEBP four"],
];

const picture = (url: string) => ({ type: "image_url" as const, image_url: { url } });
const complete = (content: OpenAI.ChatCompletionContentPart[]) =>
  client.chat.completions.create({ model, messages: [{ role: "user", content }] });

async function reject(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof APIError, String(error));
  return error;
}

test("models get the inline images of a request", async () => {
  const parts = FILES.map(([type, bytes]) => picture(dataUrl(type, bytes)));
  const { choices } = await complete([{ type: "text", text: "What is this?" }, ...parts]);
  const text = choices[0]?.message.content ?? "";
  assert.match(text, /"What is this\? \[image [0-9a-f]{8}\].* \(1 message, .*, 4 images;/);
  const { rows } = await database.query(
    "select position, media_type, data from private.run_images where run_id = $1 order by position",
    [(await complete([picture(dataUrl("png", PNG))])).id.slice("chatcmpl-".length)],
  );
  assert.deepEqual(rows, [{ position: 0, media_type: "image/png", data: Buffer.from(PNG, "latin1") }]);

  const response = await client.responses.create({
    model,
    store: true,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "And this?" },
          { type: "input_image", detail: "auto", image_url: dataUrl("png", PNG) },
        ],
      },
    ],
  });
  assert.match(response.output_text, /, 1 image;/);
  const [run] = await ada.send(
    "GET",
    `/rest/v1/runs?id=eq.${response.id.slice("resp_".length)}&select=swarm_id,request`,
  );
  assert.equal(run.request.image_count, 1);
  await ada.send("DELETE", `/rest/v1/swarms?id=eq.${run.swarm_id}`);
  const left = await database.query("select 1 from private.run_images where run_id = $1", [response.id.slice(5)]);
  assert.equal(left.rowCount, 0, "deleted with its run");
});

test("a run that waits for the client still has its images when it goes on", async () => {
  const tools = [{ type: "function" as const, function: { name: "locate", parameters: {} } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "user", content: [{ type: "text", text: "/tool locate {}" }, picture(dataUrl("png", PNG))] },
  ];
  const first = await client.chat.completions.create({ model, messages, tools });
  const message = first.choices[0]?.message;
  assert.ok(message?.tool_calls?.[0]);
  const { rows } = await database.query<{ progress: string }>(
    "select progress::text from private.run_progress where run_id = $1",
    [first.id.slice("chatcmpl-".length)],
  );
  assert.ok(!rows[0]?.progress.includes(Buffer.from(PNG, "latin1").toString("base64")), "stored once");
  const result = { role: "tool" as const, tool_call_id: message.tool_calls[0].id, content: "at home" };
  const second = await client.chat.completions.create({ model, tools, messages: [...messages, message, result] });
  assert.match(second.choices[0]?.message.content ?? "", /at home \(.*, 1 image;/);
});

test("a model that reads only text gets none of them", async () => {
  const other = await startExtendedService(cleanup, {
    EXTENSIONS: "providers,openai-api",
    PROVIDER_A_KIND: "openai-compatible",
    PROVIDER_A_BASE_URL: "http://127.0.0.1:1/v1",
    PROVIDER_A_MODELS: "llama-3.3-70b",
  });
  const bob = await other.signUp("bob");
  const { id } = await bob.insert("agents", { name: "Bert", framework: "provider_a" });
  const asker = new OpenAI({ apiKey: bob.token, baseURL: `${other.url}/v1`, fetch: other.fetch, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: [picture(dataUrl("png", PNG))] }];
  const error = await reject(asker.chat.completions.create({ model: `agent:${id}`, messages }));
  assert.deepEqual([error.status, error.code, error.param], [400, "VALIDATION_ERROR", "image_url"]);
  assert.match(error.message, /not accepted by the model/);
  assert.deepEqual(await bob.send("GET", "/rest/v1/runs?select=id"), []);
});

test("what is no inline image is rejected and never fetched", async () => {
  const base64 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("base64");
  for (const [url, code] of [
    ["https://example.com/a.png", "unsupported_parameter"],
    ["http://127.0.0.1:1/a.png", "unsupported_parameter"],
    ["file:///etc/passwd", "invalid_value"],
    ["data:image/svg+xml;base64,PHN2Zz4=", "invalid_value"],
    ["data:image/png,raw", "invalid_value"],
    [`data:image/png;base64,${base64("GIF89a is no PNG")}`, "VALIDATION_ERROR"],
    ["data:image/png;base64,", "VALIDATION_ERROR"],
    [`data:image/png;base64,${base64(PNG)}!!!!`, "VALIDATION_ERROR"],
  ] as const) {
    const error = await reject(complete([picture(url)]));
    assert.deepEqual([error.status, error.code], [400, code], url);
  }
  assert.match((await reject(complete([picture("https://example.com/a.png")]))).message, /not fetched.*data: URL/);
  const many = Array.from({ length: 21 }, (_, index) => picture(dataUrl("png", `${PNG} ${index}`)));
  assert.equal((await reject(complete(many))).status, 400);
  const assistant = { role: "assistant", content: [picture(dataUrl("png", PNG))] } as never;
  const messages = [assistant, { role: "user" as const, content: "x" }];
  assert.equal((await reject(client.chat.completions.create({ model, messages }))).code, "unsupported_parameter");
  const file = { role: "user", content: [{ type: "input_image", file_id: "file_1" }] } as never;
  assert.equal((await reject(client.responses.create({ model, input: [file] }))).code, "unsupported_parameter");
});
