import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { text } from "node:stream/consumers";
import OpenAI, { APIError } from "openai";
import {
  type ExtendedService,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { renderError } from "../src/errors.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;

before(async () => {
  service = await startExtendedService(cleanup, {
    EXTENSIONS: "openai-api",
    BODY_LIMIT_BYTES: "100000",
    LIMIT_API: "60",
  });
  ada = await service.signUp("ada");
});
after(async () => {
  for (const close of closers) await close();
});

interface Failure {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request that fails, checks the form of its error, and returns what is of this error. */
async function fail({ method = "POST", path, headers = {}, body }: Failure): Promise<unknown[]> {
  const response = await service.fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${ada.token}`, "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
  });
  return checkForm(response.status, Object.fromEntries(response.headers), await response.text());
}

function checkForm(status: number, headers: Record<string, string | undefined>, body: string): unknown[] {
  assert.match(headers["content-type"] ?? "", /^application\/json/, body);
  assert.ok((headers["x-request-id"] ?? "").length > 0);
  const { error, ...rest } = JSON.parse(body);
  assert.deepEqual([Object.keys(error), rest], [["message", "type", "param", "code"], {}], body);
  assert.ok(typeof error.message === "string" && error.message !== "");
  return [status, error.type, error.code, error.param];
}

const INVALID = "invalid_request_error";

test("every error below /v1 has the form of the API, whatever finds it", async () => {
  const chat = "/v1/chat/completions";
  assert.deepEqual(await fail({ path: "/v1/audio/speech", body: "{}" }), [404, INVALID, "NOT_FOUND", null]);
  assert.deepEqual(await fail({ method: "GET", path: "/v1" }), [404, INVALID, "NOT_FOUND", null]);
  assert.deepEqual(await fail({ method: "GET", path: "/v1/" }), [404, INVALID, "NOT_FOUND", null]);
  assert.deepEqual(await fail({ method: "PUT", path: chat, body: "{}" }), [405, INVALID, "METHOD_NOT_ALLOWED", null]);
  assert.deepEqual(await fail({ method: "GET", path: "/v1/models/%zz" }), [400, INVALID, "BAD_REQUEST", null]);
  const long = "x".repeat(3_000);
  assert.deepEqual(await fail({ method: "GET", path: `/v1/models/${long}` }), [404, INVALID, "NOT_FOUND", null]);
  assert.deepEqual(await fail({ path: chat, body: "{" }), [400, INVALID, "VALIDATION_ERROR", "body"]);
  assert.deepEqual(await fail({ path: chat, body: '{"__proto__":{}}' }), [400, INVALID, "VALIDATION_ERROR", "body"]);
  assert.deepEqual(await fail({ path: chat, body: "[]" }), [400, INVALID, "invalid_value", "body"]);
  assert.deepEqual(await fail({ path: chat }), [400, INVALID, "invalid_value", "body"]);
  const headers = { "content-type": "application/xml" };
  assert.deepEqual(await fail({ path: chat, headers, body: "<a/>" }), [415, INVALID, "UNSUPPORTED_MEDIA_TYPE", null]);
  const packed = { "content-encoding": "gzip" };
  assert.deepEqual(await fail({ path: chat, headers: packed, body: "{}" }), [
    415,
    INVALID,
    "UNSUPPORTED_MEDIA_TYPE",
    null,
  ]);
  assert.deepEqual(await fail({ path: chat, body: JSON.stringify({ a: "x".repeat(200_000) }) }), [
    413,
    INVALID,
    "PAYLOAD_TOO_LARGE",
    null,
  ]);
  for (const authorization of ["Bearer sk_forged", "Basic eDp5", ""])
    assert.deepEqual(await fail({ path: chat, headers: { authorization }, body: "{}" }), [
      401,
      "authentication_error",
      "UNAUTHORIZED",
      null,
    ]);
});

/** Of bytes that no HTTP client would send. */
async function sendRaw(bytes: string): Promise<unknown[]> {
  const { hostname, port } = new URL(service.url);
  const ca = readFileSync(service.service.credentials.ca_cert_file ?? "", "utf8");
  const socket = connect({ host: hostname, port: Number(port), ca, servername: "localhost" });
  await once(socket, "secureConnect");
  socket.write(bytes);
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(lines.map((each) => each.split(": ") as [string, string]));
  return checkForm(Number(line.split(" ")[1]), headers, body);
}

test("a body that breaks off the rules of HTTP has it, too", async () => {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${ada.token}\r\n`;
  const sent = `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`;
  assert.deepEqual(await sendRaw(sent), [400, INVALID, "BAD_REQUEST", null]);
});

test("an exceeded limit says when to retry", async () => {
  const client = new OpenAI({ apiKey: ada.token, baseURL: `${service.url}/v1`, fetch: service.fetch, maxRetries: 0 });
  const listing = async (): Promise<never> => {
    for (;;) await client.models.list();
  };
  const error = await listing().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof APIError, String(error));
  assert.deepEqual([error.status, error.code, error.type], [429, "RATE_LIMITED", "rate_limit_error"]);
  assert.ok(Number(error.headers?.get("retry-after")) > 0);
  assert.ok((error.requestID ?? "").length > 0);

  const limited = { status: 429, code: "RATE_LIMITED", message: "Too many", details: null, retryAfterSeconds: 7 };
  assert.deepEqual(renderError(limited), {
    headers: { "retry-after": "7" },
    body: { error: { message: "Too many", type: "rate_limit_error", param: null, code: "RATE_LIMITED" } },
  });
});
