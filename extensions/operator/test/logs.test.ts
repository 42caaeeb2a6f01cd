import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../../../server/test/support/until.ts";
import { LogBuffer } from "../src/observe/log-buffer.ts";
import { readCounters, sampleMetrics } from "../src/observe/sample-metrics.ts";
import { type OperatorService, type Person, startOperatorService } from "./support/operator-service.ts";

const LOGS = "/operator/v1/logs";
const closers: (() => Promise<void>)[] = [];
let service: OperatorService;
let ada: Person;
let bob: Person;

const read = async (query: Record<string, string>) => {
  const answer = await service.call(ada.token, "GET", `${LOGS}?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.lines as Record<string, unknown>[];
};

before(async () => {
  service = await startOperatorService(
    { after: (close) => void closers.unshift(close) },
    { ACCESS_LOG_ENABLED: "true" },
  );
  ada = await service.createOperator("ada");
  bob = await service.signUp("bob");
});

after(async () => {
  for (const close of closers) await close();
});

test("a line is found by its request id and by its user, and has no token", async () => {
  const sent = await service.call(bob.token, "GET", "/rest/v1/profiles?select=id&token=planted");
  const requestId = sent.headers.get("x-request-id") ?? "";
  await until(async () => (await read({ request_id: requestId })).length > 0);
  const [line] = await read({ request_id: requestId });
  assert.deepEqual([line?.["event"], line?.["user_id"]], ["request.completed", bob.id]);
  assert.ok((await read({ user_id: bob.id })).some(({ request_id: id }) => id === requestId));
  assert.ok((await read({ search: "REQUEST.COMPLETED", level: "info" })).length > 0);
  assert.deepEqual(await read({ request_id: requestId, level: "error" }), []);
  assert.deepEqual(await read({ request_id: requestId, before: String(line?.["id"]) }), []);
  const at = String(line?.["created_at"]);
  assert.equal((await read({ request_id: requestId, since: at })).length, 1);
  assert.deepEqual(await read({ request_id: requestId, until: at }), []);
  for (const query of ["level=loud", "before=x", "search=%00", "since=1", "until=99999-01-01T00:00:00Z"])
    assert.equal((await service.call(ada.token, "GET", `${LOGS}?${query}`)).status, 400, query);
  const all = JSON.stringify(await read({}));
  assert.ok(!all.includes(bob.token) && !all.includes("planted"));
});

test("no line has the link or the code of a mail, with which an operator could sign in as its recipient", async () => {
  assert.equal((await service.call("", "POST", "/auth/v1/recover", { email: bob.email })).status, 200);
  const find = () => read({ search: "mail.written" });
  await until(async () => (await find()).length > 0);
  const [line] = await find();
  assert.deepEqual(Object.keys(line?.["fields"] as object).sort(), ["file", "kind", "to"]);
});

test("a tail shows new lines, and ends when its reader is no longer an operator", async () => {
  const eve = await service.createOperator("eve");
  const tail = service.follow(eve.token, `${LOGS}/tail?user_id=${bob.id}`);
  const next = async () => (await tail.next()).value ?? null;
  assert.equal(await next(), "\n");
  const requestIds = new Set<string | null>();
  let text: string | null = "";
  // The service may lose a line that it cannot store, so every sign of life is followed by another request.
  while (text?.trim() === "") {
    const { headers } = await service.call(bob.token, "GET", "/rest/v1/profiles?select=id");
    requestIds.add(headers.get("x-request-id"));
    text = await next();
  }
  const [line = ""] = (text ?? "").trim().split("\n");
  assert.ok(requestIds.has(JSON.parse(line).request_id), line);
  const removed = await service.runOperators("remove", eve.email);
  assert.equal(removed.code, 0, removed.stderr);
  while (text !== null) text = await next();
  assert.deepEqual((await service.call(eve.token, "GET", LOGS)).body.details, { lacks: "operator" });
});

test("a tail that shows none of the new lines reads them once, and not again with each poll", async () => {
  const { owner } = service.database;
  const count = 20_000;
  const tail = service.follow(ada.token, `${LOGS}/tail?search=in+no+line`);
  const passTime = async () => {
    for (const _ of [1, 2]) assert.equal((await tail.next()).value, "\n");
  };
  const countRead = async () => {
    const { rows } = await owner.query(
      "select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = 'log_lines'",
    );
    return rows[0].read;
  };
  await tail.next();
  await owner.query(
    `insert into ext_operator.log_lines (created_at, node, level, event, message, fields)
     select now(), 'n', 'info', 'e', 'm', '{}' from generate_series(1, $1)`,
    [count],
  );
  await passTime();
  const before = await countRead();
  await passTime();
  const again = (await countRead()) - before;
  assert.ok(before >= count && again < count, `${before} rows, and then ${again}`);
  await tail.return();
});

test("the ring has bounds in time, in number and in memory", async () => {
  const { owner } = service.database;
  const line = { level: "info", event: "e", message: "m", fields: {} };
  const store = (createdAt: string, count: number) =>
    owner.query("select ext_operator.store_log_lines('n', $1)", [
      JSON.stringify(Array.from({ length: count }, () => ({ ...line, created_at: createdAt }))),
    ]);
  await store("2020-01-01T00:00:00Z", 3);
  await store(new Date().toISOString(), 30);
  await owner.query("select ext_operator.trim_observations('24 hours', 20)");
  const { rows } = await owner.query("select count(*)::int from ext_operator.log_lines where node = 'n'");
  assert.ok(rows[0].count <= 20 && rows[0].count > 0, String(rows[0].count));

  const buffer = new LogBuffer();
  const huge = { a: "x".repeat(20_000), b: "\u0000\ud800" };
  for (let count = 0; count < 2010; count += 1)
    buffer.add({ level: "info", event: "service.started", message: "m", fields: huge }, new Date(0));
  const { lines, dropped } = buffer.take(3000);
  assert.deepEqual([lines.length, dropped, buffer.take(1).lines.length], [2000, 10, 0]);
  assert.ok(JSON.stringify(lines[0]?.fields).length < 9000);
  await owner.query("select ext_operator.store_log_lines('n', $1)", [JSON.stringify(lines.slice(0, 1))]);
});

test("metrics are what happened between two samples, over all nodes", async () => {
  const family = (name: string, values: [Record<string, string>, number, string?][]) => ({
    name,
    help: "",
    type: "counter" as const,
    values: values.map(([labels, value, metricName]) => ({ labels, value, ...(metricName && { metricName }) })),
  });
  const latency = "swarmbase_http_request_seconds";
  const at = (requests: number) => [
    family("swarmbase_http_requests_total", [
      [{ status: "200" }, requests],
      [{ status: "503" }, 2],
    ]),
    family(latency, [
      [{ le: "0.01" }, requests / 2, `${latency}_bucket`],
      [{ le: "0.1" }, requests, `${latency}_bucket`],
      [{ le: "+Inf" }, requests + 2, `${latency}_bucket`],
      [{}, requests / 10, `${latency}_sum`],
    ]),
    family("swarmbase_sockets", [[{}, 7]]),
  ];
  const [before, now] = [readCounters(at(100)), readCounters(at(300))];
  const sample = sampleMetrics(at(300), before, now);
  assert.deepEqual(
    [sample.requests, sample.errors, sample.latency_ms, sample.latency_p95_ms, sample.sockets],
    [200, 0, 100, 100, 7],
  );

  const { owner } = service.database;
  await owner.query("select ext_operator.store_sample(n, $1, '{}') from unnest(array['one', 'two']) n", [
    JSON.stringify(sample),
  ]);
  const { status, body } = await service.call(ada.token, "GET", "/operator/v1/metrics?hours=1");
  assert.equal(status, 200);
  const last = body.times.length - 1;
  assert.ok(body.series.requests[last] >= 800, JSON.stringify(body.series.requests));
  assert.ok(body.series.sockets[last] >= 14 && body.series.latency_p95_ms[last] >= 100);
  assert.ok(body.nodes.some(({ node }: { node: string }) => node === "two"));
  assert.equal((await service.call(ada.token, "GET", "/operator/v1/metrics?hours=99")).status, 400);

  // Older samples are put together without a change of what they show.
  await owner.query(
    `insert into ext_operator.metric_samples (created_at, node, measured)
     select date_bin('84 minutes', now() - interval '3 days', 'epoch') + n * interval '15 seconds', 'old',
       jsonb_build_object('requests', 4 * (n % 2), 'latency_ms', 100 * (n % 2), 'sockets', 4, 'latency_p95_ms', n)
     from generate_series(0, 335) n`,
  );
  const week = async () => {
    const { body: found, text } = await service.call(ada.token, "GET", "/operator/v1/metrics?hours=168");
    assert.ok(found?.times.length > 0, text);
    const { requests, sockets, latency_ms: latency, latency_p95_ms: p95 } = found.series;
    return [found.step_seconds, requests[0], sockets[0], p95[0], latency[0]];
  };
  // An interval without requests has no latency.
  assert.deepEqual(await week(), [5040, 8, 4, 335, 100]);
  await owner.query(
    "select ext_operator.merge_samples(array['requests'], array['latency_p95_ms'], array['latency_ms'])",
  );
  const { rows } = await owner.query("select count(*)::int from ext_operator.metric_samples where node = 'old'");
  assert.deepEqual([rows, await week()], [[{ count: 7 }], [5040, 8, 4, 335, 100]]);
});

test("a process is listed from its start on, with its version, its tasks and the state of backups", async () => {
  const { owner } = service.database;
  const archivedAt = "2026-11-17T10:00:00.000Z";
  const verification = { at: archivedAt, is_ok: false };
  const backup = {
    archived_at: archivedAt,
    base_at: null,
    restorable_from: null,
    kept_bytes: 7,
    failures: 2,
    failed_at: archivedAt,
    verified_at: null,
    verification,
  };
  await owner.query(
    `insert into ext_operator.metric_samples (created_at, node, measured, process)
     values (now() - interval '10 minutes', 'gone', '{}', $1)`,
    [JSON.stringify({ version: "0.0.9", backup })],
  );
  type Node = { node: string; is_live: boolean; version?: string; roles?: string[]; started_at?: string };
  const read = async () => (await service.call(ada.token, "GET", "/operator/v1/nodes")).body;
  const isOwn = ({ node, version }: Node) => node !== "gone" && version !== undefined;
  await until(async () => (await read()).nodes.some(isOwn));
  const { nodes, backups } = await read();
  const found: Node = nodes.find(isOwn);
  assert.deepEqual([found.is_live, found.roles], [true, ["api", "worker", "realtime"]]);
  assert.match(found.version ?? "", /^\d+\.\d+\.\d+/);
  assert.ok(Date.parse(found.started_at ?? "") < Date.now());
  const gone: Node = nodes.find(({ node }: Node) => node === "gone");
  assert.deepEqual([gone.is_live, gone.version], [false, "0.0.9"]);
  assert.deepEqual([backups.is_loaded, backups.target, backups.node, backups.state], [false, null, "gone", backup]);

  type Slot = { use: string; is_active: boolean; lag_bytes: number | null };
  const findFeed = async () => (await read()).slots.find(({ use }: Slot) => use === "feed");
  await until(async () => (await findFeed()) !== undefined);
  assert.ok((await findFeed()).lag_bytes >= 0);
});
