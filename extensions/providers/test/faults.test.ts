import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ModelError, type VendorKind } from "swarmbase/extension";
import { callOf, KEY, KINDS, listen, openBench } from "../../../server/test/support/providers/models.ts";
import { WIRE } from "../../../server/test/support/providers/wire.ts";
import { openWireServer, failWith, say, type WireServer } from "../../../server/test/support/providers/wire-server.ts";

const openai = (code: string | null, message: string) => ({
  error: { message, type: "some_error", param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const google = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, message, status, details },
});
const failedResponse = (code: string, message: string) => ({
  type: "response.failed",
  sequence_number: 9,
  response: { id: "resp_1", status: "failed", error: { code, message } },
});
const LEAK = `Incorrect API key provided: ${KEY}. Ask https://inner.example/v1?key=${KEY}`;

/** kind, status, body → code, attempts */
const FAULTS: readonly [VendorKind, number, unknown, string, number][] = [
  ["openai", 401, openai("invalid_api_key", LEAK), "PROVIDER_AUTH_FAILED", 1],
  ["openai", 403, openai(null, LEAK), "PROVIDER_AUTH_FAILED", 1],
  ["openai", 404, openai("model_not_found", "The model `x` does not exist"), "INVALID_MODEL", 1],
  ["openai", 404, "<html>no such page</html>", "PROVIDER_ERROR", 1],
  ["openai", 400, openai("context_length_exceeded", "too long"), "CONTEXT_LENGTH_EXCEEDED", 1],
  ["openai", 400, openai("content_policy_violation", "no"), "CONTENT_FILTERED", 1],
  ["openai", 400, openai("unsupported_parameter", `'temperature' ${KEY}`), "PROVIDER_ERROR", 1],
  ["openai", 400, openai(KEY, KEY), "PROVIDER_ERROR", 1],
  ["openai", 408, {}, "PROVIDER_TIMEOUT", 3],
  ["openai", 429, openai("rate_limit_exceeded", "slow down"), "PROVIDER_RATE_LIMITED", 3],
  ["openai", 429, openai("insufficient_quota", "pay"), "PROVIDER_RATE_LIMITED", 1],
  ["openai", 500, openai(null, "oops"), "PROVIDER_OVERLOADED", 3],
  ["openai-responses", 401, openai("invalid_api_key", LEAK), "PROVIDER_AUTH_FAILED", 1],
  ["openai-responses", 400, openai("context_length_exceeded", "too long"), "CONTEXT_LENGTH_EXCEEDED", 1],
  ["openai-responses", 429, openai("insufficient_quota", "pay"), "PROVIDER_RATE_LIMITED", 1],
  ["openai-responses", 503, openai(null, "oops"), "PROVIDER_OVERLOADED", 3],
  ["openai-compatible", 400, openai("exceed_context_size_error", "n_ctx"), "CONTEXT_LENGTH_EXCEEDED", 1],
  [
    "openai-compatible",
    500,
    { error: "context length exceeded, maximum context length 4096" },
    "CONTEXT_LENGTH_EXCEEDED",
    1,
  ],
  ["openai-compatible", 402, {}, "PROVIDER_RATE_LIMITED", 1],
  ["openai-compatible", 502, "<html>", "PROVIDER_OVERLOADED", 3],
  ["anthropic", 401, anthropic("authentication_error", LEAK), "PROVIDER_AUTH_FAILED", 1],
  ["anthropic", 404, anthropic("not_found_error", "model: claude-0"), "INVALID_MODEL", 1],
  ["anthropic", 400, anthropic("invalid_request_error", "Your credit balance is too low"), "PROVIDER_RATE_LIMITED", 1],
  ["anthropic", 400, anthropic("invalid_request_error", "prompt is too long: 9 > 8"), "CONTEXT_LENGTH_EXCEEDED", 1],
  ["anthropic", 413, anthropic("request_too_large", "big"), "CONTEXT_LENGTH_EXCEEDED", 1],
  ["anthropic", 529, anthropic("overloaded_error", "Overloaded"), "PROVIDER_OVERLOADED", 3],
  ["google", 400, google(400, "INVALID_ARGUMENT", LEAK, [{ reason: "API_KEY_INVALID" }]), "PROVIDER_AUTH_FAILED", 1],
  ["google", 404, google(404, "NOT_FOUND", "models/x is not found for API version"), "INVALID_MODEL", 1],
  [
    "google",
    400,
    google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum"),
    "CONTEXT_LENGTH_EXCEEDED",
    1,
  ],
  ["google", 503, google(503, "UNAVAILABLE", "busy"), "PROVIDER_OVERLOADED", 3],
  ["google", 504, google(504, "DEADLINE_EXCEEDED", "late"), "PROVIDER_TIMEOUT", 3],
];

let server: WireServer;
before(async () => {
  server = await openWireServer();
});
after(() => server.close());

describe("errors of a provider", () => {
  for (const [kind, status, body, code, attempts] of FAULTS) {
    it(`${kind} ${status} ${JSON.stringify(body).replaceAll(KEY, "(key)").slice(0, 90)} is ${code}`, async () => {
      const { models, log } = openBench(kind, server.url);
      server.answer(failWith(status, body));
      const { error, events } = await listen(models, callOf());
      assert.ok(error instanceof ModelError);
      assert.deepEqual([error.code, error.providerStatus, error.attempts], [code, status, attempts]);
      assert.equal(server.asked.length, attempts);
      assert.equal(error.isRetryable, attempts > 1);
      assert.deepEqual(events, []);
      const shown = [error.message, error.stack, String(error.cause), ...log].join("\n");
      for (const secret of [KEY, "inner.example", server.url, "You are Ada"])
        assert.ok(!shown.includes(secret), secret);
      assert.match(log.join(""), new RegExp(code));
    });
  }

  it("an error within a stream is reported like any other, without the key", async () => {
    const frameOf = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`;
    const frames: Record<VendorKind, string> = {
      openai: frameOf(openai("rate_limit_exceeded", LEAK)),
      "openai-responses": frameOf(failedResponse("rate_limit_exceeded", LEAK)),
      "openai-compatible": frameOf(openai("rate_limit_exceeded", LEAK)),
      anthropic: `event: error\n${frameOf(anthropic("rate_limit_error", LEAK))}`,
      google: frameOf(google(429, "RESOURCE_EXHAUSTED", LEAK)),
    };
    for (const kind of KINDS) {
      const begun = WIRE[kind]({ texts: ["first", "second"] });
      const upTo = begun.slice(0, begun.findIndex((frame) => frame.includes("first")) + 1);
      for (const [head, asked] of [
        [[], 3],
        [upTo, 1],
      ] as const) {
        const { models, log } = openBench(kind, server.url);
        server.answer(say([...head, frames[kind]]));
        const { error } = await listen(models, callOf());
        assert.ok(error instanceof ModelError);
        assert.deepEqual([kind, error.code, server.asked.length], [kind, "PROVIDER_RATE_LIMITED", asked]);
        assert.ok(![error.message, error.stack, ...log].join("\n").includes(KEY));
      }
    }
  });

  it("Retry-After is respected up to twenty seconds", async () => {
    const retryInfo = google(429, "RESOURCE_EXHAUSTED", "quota", [
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" },
    ]);
    const fine = (kind: VendorKind) => say(WIRE[kind]({ texts: ["fine"] }));
    for (const [kind, body, headers, waits] of [
      ["openai", {}, { "retry-after": "2" }, [2125]],
      ["openai", {}, { "retry-after-ms": "40" }, [165]],
      ["anthropic", {}, { "retry-after": "Sat, 01 Aug 2026 12:00:05 GMT" }, [5125]],
      ["google", retryInfo, {}, [3625]],
      ["openai", {}, { "retry-after": "20" }, [20_000]],
      ["openai", {}, { "retry-after": "21" }, []],
      ["openai", {}, { "retry-after": "soon" }, [125]],
    ] as const) {
      const { models, slept } = openBench(kind, server.url);
      server.answer(failWith(429, body, headers), fine(kind));
      const heard = await listen(models, callOf());
      assert.deepEqual(slept, waits);
      if (waits.length > 0) assert.equal(heard.text, "fine");
      else assert.equal((heard.error as ModelError).retryAfterMs, 21_000);
    }
  });

  it("redirects are not followed", async () => {
    const { models } = openBench("openai", server.url);
    server.answer(failWith(307, "", { location: "/elsewhere" }));
    const { error } = await listen(models, callOf());
    assert.equal((error as ModelError).code, "PROVIDER_ERROR");
    assert.ok(server.asked.every(({ url }) => url === "/chat/completions"));
  });

  it("no key header is sent when no key is configured", async () => {
    for (const kind of KINDS) {
      const { models } = openBench(kind, null, { PROVIDER_A_BASE_URL: server.url });
      server.answer(say(WIRE[kind]({ texts: ["fine"] })));
      assert.equal((await listen(models, callOf())).text, "fine");
      const { headers } = server.asked[0] ?? {};
      for (const name of ["authorization", "x-api-key", "x-goog-api-key"]) assert.equal(headers?.[name], undefined);
    }
  });
});
