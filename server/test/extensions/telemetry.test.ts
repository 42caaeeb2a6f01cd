import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Agent, fetch } from "undici";
import { WIRE } from "../support/providers/wire.ts";
import { openWireServer, say, type WireServer } from "../support/providers/wire-server.ts";
import { createTestDatabase } from "../support/database.ts";
import { type ServiceHere, startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { attributesOf, type Collector, first, list, type Span, startCollector } from "../support/collector.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER_ID = "b7ad6b7169203331";
const QUESTION = "a secret question";
const ANSWER = "a secret answer";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let collector: Collector;
let provider: WireServer;
let receiver: Receiver;
let service: ServiceHere;
let spans: readonly Span[];
let stopCode: number | null;

type Row = Readonly<Record<string, unknown>>;

/** Everything that is sent leaves at the stop: the delays are longer than the test. */
const SLOW = { OTEL_BSP_SCHEDULE_DELAY: "600000", OTEL_BLRP_SCHEDULE_DELAY: "600000" };

describe("a service with OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  before(async () => {
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-otel-");
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    collector = await startCollector();
    provider = await openWireServer();
    cleanup.after(() => collector.close());
    cleanup.after(() => provider.close());
    receiver = await startReceiver(cleanup);
    let refusals = 0;
    receiver.answer = ({ path, body }) =>
      path === "/plain" && body.includes('"edits"') && (refusals += 1) === 1 ? { status: 503 } : {};
    const caFile = join(dataDir, "receiver-ca.pem");
    await writeFile(caFile, RECEIVER_CA);
    provider.answer(
      say(WIRE.openai({ calls: [{ id: "call-1", name: "current_time", input: {} }] })),
      say(WIRE.openai({ texts: [ANSWER] })),
      say(WIRE.openai({ texts: [ANSWER] })),
      say(WIRE.openai({ calls: [{ id: "call-2", name: "research", input: { message: QUESTION } }] })),
      say(WIRE.openai({ texts: [ANSWER] })),
    );
    service = await startServiceHere(cleanup, {
      dataDir,
      env: {
        DATABASE_URL,
        MASTER_KEY,
        ...SLOW,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
        OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: "x-team=platform%20one",
        OTEL_SERVICE_NAME: "swarm-under-test",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
        PROVIDER_A_KIND: "openai",
        PROVIDER_A_BASE_URL: provider.url,
        PROVIDER_A_API_KEY: "sk-test",
        PROVIDER_A_MODELS: "gpt-4.1-mini",
        WEBHOOK_CA_FILE: caFile,
        WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
        WEBHOOK_ALLOWED_PORTS: new URL(receiver.url).port,
        WEBHOOK_RETRY_SCHEDULE: "0,1",
        ACCESS_LOG_ENABLED: "true",
      },
    });
    await useService();
    stopCode = await service.stop();
    spans = collector.spans();
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("sends what it has buffered when it stops", () => {
    assert.equal(stopCode, 0);
    assert.deepEqual([...new Set(collector.received.map(({ path }) => path))].toSorted(), [
      "/v1/logs",
      "/v1/metrics",
      "/v1/traces",
    ]);
    assert.ok(collector.logs().some(({ eventName }) => eventName === "service.stopped"));
  });

  test("honours headers, encodings, service name and resource attributes", () => {
    const types = Object.fromEntries(collector.received.map(({ path, headers }) => [path, headers["content-type"]]));
    assert.deepEqual(types, {
      "/v1/traces": "application/x-protobuf",
      "/v1/metrics": "application/x-protobuf",
      "/v1/logs": "application/json",
    });
    for (const { headers } of collector.received) {
      assert.equal(headers["x-team"], "platform one");
      assert.equal(headers["content-encoding"], "gzip");
    }
    const resource = collector.resource();
    assert.equal(resource["service.name"], "swarm-under-test");
    assert.equal(resource["deployment.environment.name"], "test");
    assert.match(String(resource["service.version"]), /^\d+\.\d+\.\d+/);
  });

  test("traces requests as children of the caller, with their statements below", () => {
    const signUp = findSpan("POST /auth/v1/signup");
    assert.deepEqual([signUp.traceId, signUp.parentSpanId, signUp.kind], [TRACE_ID, CALLER_ID, 2]);
    assert.equal(signUp.attributes["http.response.status_code"], 200);
    assert.equal(signUp.attributes["url.path"], "/auth/v1/signup");
    const statements = childrenOf(signUp).filter(({ attributes }) => attributes["db.system.name"] === "postgresql");
    assert.ok(statements.length > 0);
    for (const { kind, attributes } of statements) {
      assert.equal(kind, 3);
      assert.doesNotMatch(String(attributes["db.query.text"]), /ada@example.com/);
    }
    const read = findSpan("GET /rest/v1/*");
    assert.ok(childrenOf(read).some(({ attributes }) => attributes["swarmbase.db.pool"] === "user"));
    assert.deepEqual(
      spans.filter(({ attributes }) => attributes["url.path"] === "/health"),
      [],
    );
  });

  test("joins request, run, turn, model calls and tool call in one trace, by the conventions for generative AI", () => {
    const request = findSpan("POST /functions/v1/agent-respond");
    const run = findSpan("invoke_workflow Editors");
    const turn = findSpan("invoke_agent Writer");
    const [call, second] = spans.filter(({ name }) => name === "chat gpt-4.1-mini");
    const tool = findSpan("execute_tool current_time");
    assert.ok(call !== undefined && second !== undefined);
    assert.deepEqual(
      [run, turn, call, second, tool].map(({ parentSpanId }) => parentSpanId),
      [request.spanId, run.spanId, turn.spanId, turn.spanId, turn.spanId],
    );
    assert.deepEqual(new Set([request, run, turn, call, tool].map(({ traceId }) => traceId)).size, 1);
    const { hostname, port } = new URL(provider.url);
    const { attributes } = call;
    assert.deepEqual(
      ["operation.name", "provider.name", "request.model", "usage.input_tokens", "usage.output_tokens"].map(
        (name) => attributes[`gen_ai.${name}`],
      ),
      ["chat", "openai", "gpt-4.1-mini", 12, 7],
    );
    assert.deepEqual([attributes["server.address"], attributes["server.port"]], [hostname, Number(port)]);
    assert.equal(tool.attributes["gen_ai.tool.call.id"], "call-1");
    assert.ok(childrenOf(run).some((span) => span.attributes["db.system.name"] === "postgresql"));
  });

  test("joins a sub-task with the call that began it", () => {
    const [run, turn] = ["invoke_workflow Team", "invoke_agent Helper"].map(findSpan);
    assert.ok(run !== undefined && turn !== undefined);
    // The run around it has one span before it waits, and one after it.
    const outer = spans.filter(({ name }) => name === "invoke_workflow private conversation");
    const trees = outer.map((desk) =>
      childrenOf(desk)
        .filter(({ name }) => name === "invoke_agent Lead")
        .flatMap((lead) => childrenOf(lead).map(({ name }) => name)),
    );
    const calls = ["execute_tool research", "chat gpt-4.1-mini"].toSorted();
    assert.deepEqual(
      trees.map((names) => names.toSorted()),
      [calls, calls],
    );
    const parent = spans.find(({ spanId }) => spanId === run.parentSpanId);
    assert.deepEqual([parent?.name, turn.parentSpanId], ["execute_tool research", run.spanId]);
    assert.deepEqual([run.traceId, turn.traceId], [parent?.traceId, parent?.traceId]);
  });

  test("sends trace context to the provider and to webhooks, unless the webhook sets the header itself", () => {
    const chats = spans.filter(({ name }) => name === "chat gpt-4.1-mini");
    assert.deepEqual(
      provider.asked.map(({ headers }) => headers["traceparent"]),
      chats.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
    const attempts = spans.filter(({ attributes }) => attributes["swarmbase.delivery.id"] !== undefined);
    assert.ok(attempts.length >= 2);
    for (const { path, headers } of receiver.received) {
      const sent = attempts.filter(
        ({ attributes }) => attributes["swarmbase.delivery.id"] === headers["x-service-delivery"],
      );
      const possible = sent.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
      assert.ok((path === "/own" ? ["set-by-owner"] : possible).includes(String(headers["traceparent"])), path);
      assert.equal(sent.at(-1)?.attributes["http.response.status_code"], 200);
      assert.equal(sent.at(-1)?.attributes["server.address"], "127.0.0.1");
    }
    const tested = attempts.find(
      ({ parentSpanId }) => parentSpanId === findSpan("POST /functions/v1/test-webhook").spanId,
    );
    assert.ok(tested !== undefined, "the attempt of test-webhook belongs to its request");
  });

  test("joins scheduled deliveries and their retries with the request that caused the event", () => {
    const update = findSpan("PATCH /rest/v1/*");
    const attempts = spans.filter(({ name }) => name === "webhook swarm.updated");
    const scheduled = attempts.filter(({ parentSpanId }) => parentSpanId === update.spanId);
    assert.deepEqual(scheduled.map(({ attributes }) => String(attributes["http.response.status_code"])).toSorted(), [
      "200",
      "200",
      "503",
    ]);
    assert.equal(attempts.length, scheduled.length + 1, "the other one is that of test-webhook");
    for (const { traceId } of scheduled) assert.equal(traceId, update.traceId);
    const retry = scheduled.find(({ attributes }) => attributes["swarmbase.delivery.attempt"] === 2);
    const received = receiver.received.findLast(({ path, body }) => path === "/plain" && body.includes('"edits"'));
    assert.equal(received?.headers["traceparent"], `00-${retry?.traceId}-${retry?.spanId}-01`);
  });

  test("joins a run that a stored message starts, and the events of runs, with their requests", () => {
    const stored = spans.find(
      ({ name, attributes }) => name === "POST /rest/v1/*" && attributes["url.path"] === "/rest/v1/messages",
    );
    assert.ok(stored !== undefined);
    const run = findSpan("invoke_workflow Readers");
    assert.deepEqual([run.traceId, run.parentSpanId], [stored.traceId, stored.spanId]);
    for (const { spanId } of [stored, findSpan("POST /functions/v1/agent-respond")]) {
      const events = spans.filter(({ name, parentSpanId }) => parentSpanId === spanId && name.startsWith("webhook "));
      assert.deepEqual(events.map(({ name }) => name).toSorted(), [
        "webhook message.created",
        "webhook message.created",
        "webhook swarm.completed",
      ]);
    }
  });

  test("joins the delivery of a replay with the request of the replay", () => {
    const replay = findSpan("POST /functions/v1/webhook-dispatcher");
    const sent = childrenOf(replay).filter(({ name }) => name.startsWith("webhook "));
    assert.deepEqual(
      sent.map(({ name, traceId }) => [name, traceId]),
      [["webhook swarm.completed", replay.traceId]],
    );
  });

  test("exports neither the texts of messages nor secrets", () => {
    const everything = collector.received.map(({ body }) => body.toString("latin1")).join("\n");
    for (const secret of [QUESTION, ANSWER, "correct horse", "sk-test", service.credentials.service_role_key])
      assert.ok(!everything.includes(secret), secret);
  });

  test("exports the metrics of the metrics endpoint, which is not open", () => {
    const metrics = collector.metrics();
    const requests = list(metrics.get("swarmbase_http_requests_total") ?? {}, "sum")[0] ?? {};
    assert.deepEqual([first(requests, "aggregationTemporality"), first(requests, "isMonotonic")], [2, 1]);
    const signUps = list(requests, "dataPoints").find(
      (point) => attributesOf(point)["route"] === "/auth/v1/signup" && attributesOf(point)["status"] === "200",
    );
    assert.equal(first(signUps ?? {}, "asDouble"), 1);
    const seconds = metrics.get("swarmbase_http_request_seconds") ?? {};
    assert.equal(first(seconds, "unit"), "s");
    const points = list(list(seconds, "histogram")[0] ?? {}, "dataPoints");
    assert.ok(points.length > 0);
    for (const point of points) {
      const counts = first(point, "bucketCounts") as number[];
      assert.equal(counts.length, (first(point, "explicitBounds") as number[]).length + 1);
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        first(point, "count"),
      );
    }
    for (const name of ["swarmbase_output_tokens_total", "process_resident_memory_bytes"])
      assert.ok(metrics.has(name), name);
    assert.doesNotMatch(service.output(), /metrics.serving/);
  });

  test("exports the log lines, each with its trace and span", () => {
    const line = collector
      .logs()
      .find(({ attributes }) => attributes.some(({ value }) => value["stringValue"] === "/auth/v1/signup"));
    const signUp = findSpan("POST /auth/v1/signup");
    assert.deepEqual(
      [line?.eventName, line?.severityText, line?.traceId, line?.spanId],
      ["request.completed", "info", TRACE_ID, signUp.spanId],
    );
    const names = line?.attributes.map(({ key }) => key) ?? [];
    assert.ok(names.includes("requestId") && !names.includes("userId"), "only fields that are known are exported");
    assert.match(service.output(), new RegExp(`"path":"/auth/v1/signup".*"traceId":"${TRACE_ID}"`));
  });
});

test("without an endpoint, no package of OpenTelemetry is imported", async () => {
  const program = `
    import { createRequire } from "node:module";
    const { extension } = await import("@swarmbase/opentelemetry");
    const context = { environment: { OTEL_SERVICE_NAME: "x" }, version: "1", readMetrics: async () => [], note() {}, fail() {} };
    const opened = await extension.telemetry.open(context);
    const loaded = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes("@opentelemetry"));
    console.log(JSON.stringify({ opened, loaded }));`;
  const args = ["-C", "swarmbase-source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  assert.deepEqual(JSON.parse(stdout), { opened: null, loaded: [] });
});

async function useService(): Promise<void> {
  const { credentials } = service;
  const dispatcher = new Agent({ connect: { ca: await readFile(credentials.ca_cert_file ?? "", "utf8") } });
  let token = credentials.anon_key;
  const call = async (method: string, path: string, body?: unknown, headers: Row = {}): Promise<Row> => {
    const response = await fetch(new URL(path, credentials.url), {
      method,
      dispatcher,
      headers: {
        apikey: credentials.anon_key,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json", prefer: "return=representation" }),
        ...(headers as Record<string, string>),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    const parsed = JSON.parse(text) as Row | readonly Row[];
    return (Array.isArray(parsed) ? parsed[0] : parsed) as Row;
  };
  const add = async (table: string, row: Row): Promise<string> => {
    const { id } = await call("POST", `/rest/v1/${table}`, row);
    return String(id);
  };
  const account = { email: "ada@example.com", password: "correct horse battery" };
  const traceparent = `00-${TRACE_ID}-${CALLER_ID}-01`;
  const session = await call("POST", "/auth/v1/signup", account, { traceparent });
  token = String(session["access_token"]);
  const { id: tool_id } = await call("GET", "/rest/v1/tools?name=eq.current_time&kind=eq.builtin");
  const swarm_id = await add("swarms", { name: "Editors" });
  const agent_id = await add("agents", { name: "Writer", framework: "provider_a" });
  await add("swarm_agents", { swarm_id, agent_id });
  await add("agent_tools", { agent_id, tool_id });
  const webhook = { name: "Watcher", url: `${receiver.url}/plain`, events: ["swarm.updated"] };
  const webhook_id = await add("webhooks", webhook);
  await add("webhooks", { ...webhook, url: `${receiver.url}/own`, headers: { Traceparent: "set-by-owner" } });
  await add("webhooks", { ...webhook, url: `${receiver.url}/runs`, events: ["message.created", "swarm.completed"] });
  await call("POST", "/functions/v1/test-webhook", { webhook_id, event_type: "swarm.updated" });
  await call("PATCH", `/rest/v1/swarms?id=eq.${swarm_id}`, { description: "edits" });
  const run = await call("POST", "/functions/v1/agent-respond", { swarm_id, message: QUESTION, stream: false });
  assert.equal(run["status"], "completed", JSON.stringify(run));
  const auto_id = await add("swarms", { name: "Readers", settings: { auto_respond: true } });
  await add("swarm_agents", { swarm_id: auto_id, agent_id });
  await add("messages", { swarm_id: auto_id, content: QUESTION });
  // The test; the update for two webhooks, one of which needs a retry; two messages and the end of each of two runs.
  await receiver.waitFor(1 + 3 + 6);
  const completed = receiver.received.find(({ body }) => body.includes('"swarm.completed"'));
  const { id: event_id } = JSON.parse(completed?.body ?? "") as Row;
  await call("POST", "/functions/v1/webhook-dispatcher", { action: "replay", event_id });
  await receiver.waitFor(11);
  const team_id = await add("swarms", { name: "Team" });
  const helper_id = await add("agents", { name: "Helper", framework: "provider_a" });
  await add("swarm_agents", { swarm_id: team_id, agent_id: helper_id });
  const lead_id = await add("agents", { name: "Lead", framework: "provider_a" });
  const research = { name: "research", description: "asks the team", kind: "swarm", config: { swarm_id: team_id } };
  await add("agent_tools", { agent_id: lead_id, tool_id: await add("tools", research) });
  await call("POST", "/functions/v1/agent-respond", { agent_id: lead_id, message: QUESTION });
  await dispatcher.close();
}

function findSpan(name: string): Span {
  const found = spans.find((span) => span.name === name);
  assert.ok(
    found !== undefined,
    `no span ${name}; there are ${[...new Set(spans.map((span) => span.name))].join(", ")}`,
  );
  return found;
}

function childrenOf({ spanId }: Span): readonly Span[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === spanId);
}
