import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, type Service, startService } from "./support/service.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.stop());

function assertError(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  assert.equal(answer.body["code"], code);
  assert.equal(typeof answer.body["message"], "string");
  for (const member of ["error", "details", "hint"]) assert.ok(member in answer.body, member);
  assert.equal(answer.headers["access-control-allow-origin"], "*");
  assert.match(answer.headers["access-control-expose-headers"] ?? "", /retry-after/);
}

test("7 every 404 is a JSON object", async () => {
  for (const path of ["/", "/nowhere", "/nowhere?select=*", "/health/more"]) {
    assertError(await service.request(path), 404, "NOT_FOUND");
  }
});

test("7 a method that a path does not have is 405 with Allow", async () => {
  const answer = await service.request("/health", { method: "DELETE" });
  assertError(answer, 405, "METHOD_NOT_ALLOWED");
  assert.match(answer.headers.allow ?? "", /GET/);
});

test("7 a path that cannot be decoded is 400", async () => {
  assertError(await service.request("/%E0%A4%A"), 400, "BAD_REQUEST");
});

test("7 headers over the limit are 431", async () => {
  assertError(
    await service.request("/health", { headers: { "x-large": "a".repeat(300_000) } }),
    431,
    "HEADERS_TOO_LARGE",
  );
});

test("7 no error tells about the inside of the service", async () => {
  for (const path of ["/nowhere", "/%E0%A4%A", "/health/../../etc/passwd", "/functions/v1/%00"]) {
    const { text } = await service.request(path);
    assert.doesNotMatch(text, /node_modules|\.ts\b|\bat .*:\d+|select |FST_/i, path);
  }
});
