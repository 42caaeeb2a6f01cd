import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createAddressPolicy } from "@swarmbase/guarded-fetch";
import type { ToolOutcome } from "../../../src/agents/tools/tool-port.ts";
import { type Answerer, startReceiver } from "../../support/receiver.ts";
import { assignedTool, callContext } from "../../support/assigned-tool.ts";
import { openToolsForTest, wrapped } from "../../support/open-tools-for-test.ts";
import { until } from "../../support/until.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A server that records its requests, and one call of its tool. */
async function stage(t: TestContext, answer: Answerer = (_request, response) => response.end("ok")) {
  const seen: Seen[] = [];
  const receiver = await startReceiver(t, (request, response) => {
    const { method, url, headers, body } = request;
    seen.push({ method, url, headers, body: body.toString() });
    answer(request, response);
  });
  const tools = openToolsForTest(t);
  const call = (
    config: Record<string, unknown>,
    input: Record<string, unknown> = {},
    parts: Parameters<typeof assignedTool>[0] = {},
    context: Parameters<typeof callContext>[0] = {},
  ): Promise<ToolOutcome> => {
    const path = typeof config["url"] === "string" ? config["url"] : "/";
    const tool = assignedTool({
      config: { ...config, url: `https://hooks.example.com:${receiver.port}${path}` },
      ...parts,
    });
    return tools.run(tool, input, callContext(context));
  };
  return { seen, receiver, call, tools };
}

function codeOf(outcome: ToolOutcome): string {
  return outcome.status === "succeeded" ? "succeeded" : outcome.error.code;
}

test("arguments are encoded in path, query and body only", async (t) => {
  const { seen, call } = await stage(t, (_request, response) => response.end('{"done": true}'));
  const url = "/v1/{id}/notes?q={text}&kind=x&page={page}";
  const outcome = await call({ method: "POST", url }, { id: "a/../b?c#d", text: "x&admin=1", title: "T" });
  assert.ok(outcome.status === "succeeded");
  assert.deepEqual([outcome.output, outcome.text, outcome.attempts], [{ done: true }, '{"done": true}', 1]);
  assert.equal(seen[0]?.url, "/v1/a%2F..%2Fb%3Fc%23d/notes?q=x%26admin%3D1&kind=x");
  assert.deepEqual(JSON.parse(seen[0]?.body ?? ""), { title: "T" });
  assert.equal(seen[0]?.headers["content-type"], "application/json");

  await call({ method: "PUT", url: "/x", body: { a: "{n}", b: ["v {text}", "{none}"] } }, { n: 5, text: "t" });
  assert.deepEqual(JSON.parse(seen[1]?.body ?? ""), { a: 5, b: ["v t", null] });

  for (const id of ["..", ".", "", null])
    assert.equal(codeOf(await call({ url: "/{id}/x" }, { id })), "INVALID_TOOL_INPUT");
  assert.equal(seen.length, 2);
});

test("secrets are sent as configured and removed from the output", async (t) => {
  const secrets = { token: "s3cr3t-value", other: "second-secret" };
  const parts = { secrets_wrapped: wrapped(assignedTool().id, secrets) };
  const { seen, call } = await stage(t, ({ headers, url }, response) => {
    response.statusCode = url?.startsWith("/fail") === true ? 500 : 200;
    response.end(`you sent ${JSON.stringify(headers)} to ${url} second-secret`);
  });
  const forms = [
    [{ type: "bearer", secret: "token" }, "authorization", "Bearer s3cr3t-value"],
    [{ type: "header", header: "X-Api-Key", secret: "token" }, "x-api-key", "s3cr3t-value"],
    [
      { type: "basic", username: "ada", secret: "token" },
      "authorization",
      `Basic ${Buffer.from("ada:s3cr3t-value").toString("base64")}`,
    ],
  ] as const;
  for (const [auth, header, value] of forms) {
    const outcome = await call({ auth }, {}, parts);
    assert.equal(seen.at(-1)?.headers[header], value);
    assert.doesNotMatch(JSON.stringify(outcome), /s3cr3t|second-secret|YWRhOnMz/);
  }
  await call({ url: "/q?a=1", auth: { type: "query", parameter: "key", secret: "token" } }, { auth: "x" }, parts);
  assert.equal(seen.at(-1)?.url, "/q?a=1&key=s3cr3t-value");
  const failed = await call({ url: "/fail", auth: forms[0][0] }, {}, parts);
  assert.ok(failed.status === "failed" && failed.text?.includes("[secret]"));
  assert.doesNotMatch(JSON.stringify(failed), /s3cr3t|second-secret/);
  // The response text is only for those who can see outputs; everybody sees the fault.
  assert.deepEqual(failed.error, {
    code: "TOOL_HTTP_ERROR",
    message: "The server answered with status 500.",
    retryable: true,
  });
  const before = seen.length;
  const moved = { ...parts, id: "019a8000-0000-7000-8000-0000000000cc" };
  assert.equal(codeOf(await call({ auth: forms[0][0] }, {}, moved)), "TOOL_UNUSABLE");
  assert.equal(codeOf(await call({ auth: { type: "bearer", secret: "none" } }, {}, parts)), "TOOL_UNUSABLE");
  assert.equal(seen.length, before);
});

test("a tool with an account of the starter names the extension that it needs, and sends nothing without it", async (t) => {
  const { seen, call } = await stage(t);
  const outcome = await call({ auth: { type: "oauth", account: "asker" } });
  assert.ok(outcome.status === "failed" && outcome.error.code === "TOOL_UNUSABLE");
  assert.match(outcome.error.message, /mcp-client/);
  assert.deepEqual(seen, []);
  assert.equal(codeOf(await call({ auth: { type: "oauth" } })), "TOOL_UNUSABLE", "of the owner: only for MCP tools");
});

test("an assignment lowers limits and cannot change the address or the method", async (t) => {
  const { seen, call } = await stage(t, (_request, response) => response.end("x".repeat(5_000)));
  const configuration = {
    url: "https://evil.example.com/",
    method: "DELETE",
    max_output_chars: 200,
    headers: { a: "b" },
  };
  const outcome = await call({ url: "/safe" }, {}, { configuration });
  assert.ok(outcome.status === "succeeded" && outcome.isTruncated && outcome.text.length <= 200);
  assert.equal(outcome.outputChars, 1_824);
  assert.deepEqual([seen[0]?.method, seen[0]?.url, seen[0]?.headers["a"]], ["GET", "/safe", undefined]);
  const wider = await call({ url: "/safe" }, {}, { configuration: { max_output_chars: 1e9 }, max_output_chars: 300 });
  assert.ok(wider.status === "succeeded" && wider.text.length <= 300);
});

test("hostile responses are truncated, described or aborted", async (t) => {
  const { call, receiver } = await stage(t, ({ url }, response) => {
    if (url === "/endless") {
      const timer = setInterval(() => response.write("y".repeat(65_536)), 1);
      response.on("close", () => clearInterval(timer));
    } else if (url === "/silent") response.write("begun");
    else if (url === "/binary") response.end(Buffer.from([0x89, 0x50, 0, 1, 2, 0xff]));
    else if (url === "/image") response.writeHead(200, { "content-type": "image/png" }).end("png");
    else if (url === "/broken") response.end(Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    else if (url === "/empty") response.writeHead(204).end();
    else if (url === "/redirect") response.writeHead(302, { location: "https://169.254.169.254/" }).end();
    else if (url === "/packed") response.writeHead(200, { "content-encoding": "gzip" }).end("x");
    else response.writeHead(404).end("nothing");
  });
  const texts: Record<string, string> = {};
  for (const url of ["/endless", "/binary", "/image", "/broken", "/empty"]) {
    const outcome = await call({ url }, {}, { max_output_chars: 1_000 });
    assert.ok(outcome.status === "succeeded", url);
    assert.equal(outcome.isTruncated, url === "/endless", url);
    assert.ok(outcome.text.length <= 1_000 && outcome.text.isWellFormed());
    texts[url] = outcome.text;
  }
  assert.deepEqual(
    [texts["/binary"], texts["/image"], texts["/broken"], texts["/empty"]],
    [
      "[binary content, 6 bytes]",
      "[binary content of type image/png, 3 bytes]",
      "a\u{fffd}\u{fffd}b",
      "[empty answer, status 204]",
    ],
  );
  for (const url of ["/redirect", "/none"]) assert.equal(codeOf(await call({ url })), "TOOL_HTTP_ERROR", url);
  assert.equal(codeOf(await call({ url: "/packed" })), "TOOL_UNREACHABLE");
  const slow = await call({ url: "/silent" }, {}, { configuration: { timeout_ms: 150 } });
  assert.equal(slow.status, "timed_out");
  assert.ok(slow.durationMs < 8_000);
  const stop = new AbortController();
  const running = call({ url: "/silent" }, {}, {}, { signal: stop.signal });
  await until(() => receiver.open > 0);
  stop.abort(new Error("enough"));
  assert.equal((await running).status, "cancelled");
  await until(() => receiver.open <= 1);
});

test("a GET without a response is retried max_retries times, a POST never", async (t) => {
  let failures = 1;
  const { seen, call } = await stage(t, (request, response) => {
    failures -= 1;
    if (failures >= 0) request.socket.destroy();
    else response.end("up");
  });
  const read = await call({ url: "/a" });
  assert.ok(read.status === "succeeded" && read.attempts === 2);
  failures = 1;
  const changed = await call({ url: "/a", method: "POST" });
  assert.ok(changed.status === "failed" && changed.error.code === "TOOL_UNREACHABLE" && changed.error.retryable);
  assert.equal(seen.length, 3);
  failures = 1;
  assert.equal(codeOf(await call({ url: "/a" }, {}, { max_retries: 0 })), "TOOL_UNREACHABLE");
  failures = 2;
  const patient = await call({ url: "/a" }, {}, { max_retries: 2 });
  assert.ok(patient.status === "succeeded" && patient.attempts === 3);
  assert.equal(seen.length, 7);
});

test("tools cannot reach addresses that webhooks must not reach", async (t) => {
  const receiver = await startReceiver(t);
  const tools = openToolsForTest(t, { policy: createAddressPolicy({ allowedCidrs: [] }) });
  const get = assignedTool({ kind: "builtin", name: "http_get", owner_id: null });
  for (const host of [
    "127.0.0.1",
    "[::1]",
    "2130706433",
    "localhost",
    "hooks.example.com",
    "[::ffff:7f00:1]",
    "10.0.0.1",
  ]) {
    const url = `https://${host}:${receiver.port}/`;
    assert.equal(codeOf(await tools.run(assignedTool({ config: { url } }), {}, callContext())), "TOOL_BLOCKED", url);
    assert.equal(codeOf(await tools.run(get, { url }, callContext())), "TOOL_BLOCKED", url);
  }
  for (const url of ["http://example.com/", "file:///etc/passwd", "https://user:pw@example.com/", "data:text/plain,x"])
    assert.equal(codeOf(await tools.run(get, { url }, callContext())), "TOOL_BLOCKED", url);
  assert.equal(receiver.accepted, 0);
});

test("a tool with a faulty configuration reports TOOL_UNUSABLE", async (t) => {
  const { tools } = await stage(t);
  const cases = [
    assignedTool(),
    assignedTool({ config: { url: "https://{host}/" } }),
    assignedTool({ kind: "builtin", name: "shell" }),
    assignedTool({ kind: "builtin", name: "toString" }),
  ];
  for (const tool of cases) assert.equal(codeOf(await tools.run(tool, {}, callContext())), "TOOL_UNUSABLE");
  const time = await tools.run(assignedTool({ kind: "builtin", name: "current_time" }), {}, callContext());
  assert.ok(time.status === "succeeded" && time.text.includes("2026-11-15T12:00:00.000Z"));
});

test("every attempt of a call has the id of the call as its Idempotency-Key", async (t) => {
  let failures = 1;
  const { seen, call } = await stage(t, (request, response) => {
    failures -= 1;
    if (failures >= 0) request.socket.destroy();
    else response.end("up");
  });
  const executionId = "019a8000-0000-7000-8000-0000000000ee";
  await call({}, {}, {}, { executionId });
  await call({ method: "POST" }, {}, {}, { executionId });
  const keys = (): unknown[] => seen.map(({ headers }) => headers["idempotency-key"]);
  assert.deepEqual(keys(), [executionId, executionId, executionId]);
  // Outside of a run.
  await call({});
  await call({});
  const [first, second] = keys().slice(3);
  assert.match(String(first), /^[0-9a-f-]{36}$/);
  assert.notEqual(first, second);
});

test("headers that the service sets are neither stored with a tool nor sent for one", async (t) => {
  const { seen, call, tools } = await stage(t);
  const parts = { secrets_wrapped: wrapped(assignedTool().id, { token: "s3cr3t-value" }) };
  for (const name of ["Idempotency-Key", "idempotency-key", "X-Service-Identity", "x-service-anything"])
    for (const config of [{ headers: { [name]: "x" } }, { auth: { type: "header", header: name, secret: "token" } }]) {
      const faults = tools.checks.findConfigFaults("http", { url: "https://hooks.example.com/", ...config });
      assert.match(faults.map(({ message }) => message).join(), /is set by the sender/, name);
      assert.equal(codeOf(await call(config, {}, parts)), "TOOL_UNUSABLE", name);
    }
  assert.equal(seen.length, 0);
});
