import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { createMeter, createObserver, OBSERVATIONS } from "../../src/observe/index.ts";
import type { ObserverOptions } from "../../src/observe/observer.ts";
import { isSecretName } from "../../src/observe/redact.ts";
import { until } from "../support/until.ts";

function capture(options: Partial<ObserverOptions> = {}) {
  const destination = new PassThrough();
  const observer = createObserver({ level: "info", format: "json", ...options, destination });
  const text = () => readAll(destination);
  const lines = () =>
    text()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { observer, text, lines };
}

/** Node.js 26 returns one written piece per read, earlier versions all of them. */
function readAll(stream: PassThrough): string {
  let text = "";
  for (let piece = stream.read(); piece !== null; piece = stream.read()) text += String(piece);
  return text;
}

test("a note becomes one JSON line with level, time, event, message and fields", () => {
  const { observer, lines } = capture();
  observer.note("service.started", { url: "https://localhost:8443" });
  const [line, ...rest] = lines();
  assert.equal(rest.length, 0);
  assert.equal(line.level, "info");
  assert.equal(line.event, "service.started");
  assert.equal(line.msg, OBSERVATIONS["service.started"].message);
  assert.equal(line.url, "https://localhost:8443");
  assert.equal(new Date(line.time).toISOString(), line.time);
});

test("observations below the log level are not logged", () => {
  const { observer, text } = capture({ level: "warn" });
  observer.note("service.started");
  assert.equal(text(), "");
});

test("API keys of users are never logged, wherever they are", () => {
  const { observer, text } = capture();
  const secret = `sk_${"a1B2".repeat(12)}c`;
  observer.note("service.started", { error: new Error(`rejected ${secret}`), address: `/mcp?bearer=${secret}` });
  const printed = text();
  assert.ok(!printed.includes(secret), printed);
  assert.ok(printed.includes("rejected [redacted]"), printed);
  const encoded = capture();
  const paths = [`/rest/v1/%20${secret}`, `/rest/v1/${secret.replace("_", "%5f")}`, `/x_${secret}`];
  encoded.observer.note("service.started", { paths, task: `task_${"a".repeat(30)}` });
  const line = encoded.text();
  assert.ok(!line.includes(secret.slice(3)), line);
  assert.ok(line.includes(`task_${"a".repeat(30)}`), line);
});

test("fields with names of secrets are never logged, at any depth", () => {
  const { observer, text } = capture();
  const secret = "s3cr3t-value";
  observer.child({ apiKey: secret }).note("service.started", {
    password: secret,
    nested: {
      accessToken: secret,
      list: [{ service_role_key: secret }],
      Authorization: secret,
      deep: { "set-cookie": secret },
    },
    bytes: Buffer.from(secret),
  });
  const printed = text();
  assert.ok(!printed.includes(secret), printed);
  assert.ok(printed.includes("[redacted]"));
});

test("fields with similar names are logged", () => {
  for (const name of ["monkey", "keyboard", "kid", "secretary", "tokenizer", "url"])
    assert.equal(isSecretName(name), false, name);
  for (const name of ["key", "masterKey", "API_KEY", "refresh-token", "userPassword", "secrets"]) {
    assert.equal(isSecretName(name), true, name);
  }
});

test("passwords in connection strings and signed tokens in texts are removed", () => {
  const { observer, text } = capture();
  const token = `${Buffer.from('{"alg":"ES256"}').toString("base64url")}.${Buffer.from('{"role":"anon"}').toString("base64url")}.sig`;
  observer.note("worker.failed", {
    error: new Error("cannot reach postgresql://u:hunter2@localhost/db", { cause: new Error(`bad ${token}`) }),
    text: "postgres://u:hunter2@[::1]:5432/db",
  });
  const printed = text();
  assert.ok(!printed.includes("hunter2"), printed);
  assert.ok(!printed.includes(token), printed);
  assert.ok(printed.includes("@localhost/db"));
});

test("errors are logged with name, message, code and cause, without fields that contain row values", () => {
  const { observer, lines } = capture();
  const error = Object.assign(new Error("duplicate", { cause: new Error("inner") }), {
    code: "23505",
    detail: "Key (email)=(a@b)",
  });
  observer.note("database.unreachable", { error });
  assert.deepEqual(lines()[0].error, {
    name: "Error",
    message: "duplicate",
    code: "23505",
    cause: { name: "Error", message: "inner" },
  });
});

test("stacks are logged for unexpected errors, and for all at debug", () => {
  const quiet = capture();
  quiet.observer.note("database.unreachable", { error: new Error("x") });
  quiet.observer.note("service.crashed", { error: new Error("x") });
  const [expected, unexpected] = quiet.lines();
  assert.equal(expected.error.stack, undefined);
  assert.match(unexpected.error.stack, /observer\.test\.ts/);

  const verbose = capture({ level: "debug" });
  verbose.observer.note("database.unreachable", { err: new Error("x") });
  assert.match(verbose.lines()[0].err.stack, /observer\.test\.ts/);
});

test("cycles, bigints, functions and thrown non-errors do not break a note", () => {
  const { observer, lines } = capture();
  const cycle: Record<string, unknown> = { big: 12n, run: () => {}, at: new Date(0), bad: new Date(Number.NaN) };
  cycle["self"] = cycle;
  observer.note("service.started", cycle);
  assert.equal(lines()[0].big, "12");
});

test("pretty output is text with the message and the fields", () => {
  const { observer, text } = capture({ format: "pretty" });
  observer.note("service.started", { url: "https://localhost:8443", token: "abc-secret" });
  const printed = text();
  assert.match(printed, /INFO: serving \{"url":"https:\/\/localhost:8443"/);
  assert.ok(!printed.includes("abc-secret"));
});

test("failed requests are sampled, and the omitted lines are counted", async () => {
  const meter = createMeter();
  const { observer, lines } = capture({ sampleWindowMs: 50, meter });
  const fields = { method: "GET", route: "/rest/v1/*", status: 503, durationMs: 1 };
  for (let count = 0; count < 1_000; count += 1) observer.child({ node: 1 }).note("request.unavailable", fields);
  const written = lines();
  assert.equal(written.length, 5);
  await until(() => written.push(...lines()) > 5, "the window has ended");
  const { level, event, leftOut, windowMs } = written[5];
  assert.deepEqual(
    { level, event, leftOut, windowMs },
    { level: "warn", event: "request.unavailable", leftOut: 995, windowMs: 50 },
  );
  assert.match(await meter.render(), /swarmbase_http_requests_total\{[^}]*status="503"\} 1000/);

  observer.note("request.unavailable", fields);
  assert.equal(lines().length, 1, "a new window begins with a line");
});

test("the access log has every request at any level, and nothing else", () => {
  const { observer, lines } = capture({ level: "fatal", hasAccessLog: true });
  observer.note("service.started");
  observer.note("request.completed", { status: 200 });
  for (let count = 0; count < 20; count += 1) observer.note("request.unavailable", { status: 503 });
  observer.child({ node: 1 }).note("request.failed", { status: 500 });
  const written = lines();
  assert.deepEqual(
    [...new Set(written.map(({ level, event }) => `${level} ${event}`))],
    ["info request.completed", "warn request.unavailable", "error request.failed"],
  );
  assert.equal(written.length, 22);
});

test("each request is passed on with its user, whether or not it is logged", () => {
  const users: (string | null)[] = [];
  const { observer, lines } = capture({ level: "fatal", onRequest: (userId) => users.push(userId) });
  observer.note("request.completed", { userId: "ada" });
  observer.child({ part: "a" }).note("request.failed", { status: 500 });
  observer.note("worker.started", { userId: "nobody" });
  assert.deepEqual([users, lines()], [["ada", null], []]);
});

test("lines are also passed on, redacted and with the fields of a child, and only those that are logged", () => {
  const lines: unknown[] = [];
  const { observer } = capture({ onLine: (line) => lines.push(line) });
  observer.child({ part: "a", apikey: "hidden" }).note("service.started", { password: "hidden", port: 1 });
  observer.note("worker.started", { name: "below the level" });
  assert.deepEqual(lines, [
    {
      level: "info",
      event: "service.started",
      message: OBSERVATIONS["service.started"].message,
      fields: { part: "a", apikey: "[redacted]", password: "[redacted]", port: 1 },
    },
  ]);
});
