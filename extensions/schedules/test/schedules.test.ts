import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { LIMIT_AI, openStage, type Person, type Stage } from "./support/stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
before(async () => {
  stage = await openStage(closers);
});
after(async () => {
  for (const close of closers) await close();
});

const FAR = { cron: "0 0 1 1 *" };
const outcomesOf = (row: Parsed): string[] => row.last_outcomes.map(({ outcome }: { outcome: string }) => outcome);

/** Makes a planned schedule due at a time, as if the clock had come there. */
async function setDue(id: string, dueAt: Date): Promise<void> {
  await stage.sql.query("update public.schedules set due_at = $2, next_run_at = $2 where id = $1", [id, dueAt]);
  await stage.sql.query("select private.wake_extension('schedules')");
}

async function setAccount(person: Person, change: string): Promise<void> {
  await stage.sql.query(`update auth.users set ${change} where id = $1`, [person.id]);
}

const isEnded = (row: Parsed): boolean => outcomesOf(row)[0] === "completed";
const isPlanned = (row: Parsed): boolean => row.next_run_at !== null;

describe("a schedule", () => {
  test("starts one run at its time, in a conversation of its own, and shows what came of it", async () => {
    const ada = await stage.newPerson();
    const { id, next_run_at, api_key_id } = await ada.schedule({ max_tokens: 5000 });
    assert.deepEqual([next_run_at, api_key_id], [null, null]);
    const row = await ada.readUntil(id, isEnded, "the run ends");
    assert.deepEqual([row.enabled, row.next_run_at, row.paused_reason, row.open_run_id], [false, null, null, null]);
    const [run, ...others] = await ada.runsOf(id);
    assert.deepEqual(others, []);
    assert.deepEqual(run.cause, { extension: "schedules", type: "schedule", id });
    assert.deepEqual(run.swarms, { started_by: `schedules ${id}` });
    assert.deepEqual(run.request.budget, { max_tokens: 5000, max_cost_usd: null });
    const [outcome] = row.last_outcomes;
    assert.deepEqual(
      [outcome.run_id, outcome.swarm_id, outcome.due_at],
      [run.id, run.swarm_id, new Date(row.run_at).toISOString()],
    );
    // As if clocks were set back: the same time comes again.
    await ada.send("PATCH", `/rest/v1/schedules?id=eq.${id}`, { enabled: true });
    const again = await ada.readUntil(id, ({ enabled }) => !enabled, "the time is over");
    assert.deepEqual([again.last_outcomes, (await ada.runsOf(id)).length], [row.last_outcomes, 1]);
    const chat = await ada.send("POST", "/functions/v1/agent-respond", { agent_id: ada.agentId, message: "Hello" });
    assert.notEqual(chat.swarm_id, run.swarm_id);
  });

  test("is planned when it is written, and again when its times change or it is switched on", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule({ cron: "30 6 1 1 *", time_zone: "Asia/Kolkata" });
    const first = await ada.readUntil(id, isPlanned, "it is planned");
    assert.match(first.next_run_at, /-01-01T01:00:00\+00:00$/);
    await ada.send("PATCH", `/rest/v1/schedules?id=eq.${id}`, { cron: "30 7 1 1 *" });
    const second = await ada.readUntil(
      id,
      (row) => isPlanned(row) && row.next_run_at !== first.next_run_at,
      "planned anew",
    );
    assert.match(second.next_run_at, /-01-01T02:00:00\+00:00$/);
    const [off] = await ada.send("PATCH", `/rest/v1/schedules?id=eq.${id}`, {
      enabled: false,
      next_run_at: first.next_run_at,
    });
    assert.equal(off.next_run_at, null);
    await ada.send("PATCH", `/rest/v1/schedules?id=eq.${id}`, { ...off, enabled: true, failures: 99 });
    const on = await ada.readUntil(id, isPlanned, "planned when switched on");
    assert.equal(on.failures, 0, "the service keeps this column");
  });

  test("goes on to its next time, and starts only the last of those that were missed", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule({ cron: "* * * * *" });
    await ada.readUntil(id, isPlanned, "it is planned");
    await setDue(id, new Date(Math.floor(Date.now() / 60_000 - 30) * 60_000));
    const row = await ada.readUntil(id, (found) => outcomesOf(found).includes("completed"), "the run ends");
    assert.equal(outcomesOf(row).at(-1), "missed");
    assert.ok(new Date(row.next_run_at).getTime() > Date.now() - 1_000);
    assert.ok(row.last_outcomes.length <= 3, "a minute may have begun meanwhile");
    await ada.send("DELETE", `/rest/v1/schedules?id=eq.${id}`);
  });

  test("skips a time while its run is in progress, or queues it until the run has ended", async () => {
    const ada = await stage.newPerson();
    const slow = { ...FAR, message: "/sleep 600000" };
    const skipping = await ada.schedule(slow);
    const queueing = await ada.schedule({ ...slow, when_running: "queue" });
    for (const { id } of [skipping, queueing]) {
      await ada.readUntil(id, isPlanned, "it is planned");
      await setDue(id, new Date());
      await ada.readUntil(id, (row) => row.open_run_id !== null, "the run is started");
      await ada.readUntil(id, isPlanned, "the next time is planned");
      await setDue(id, new Date());
    }
    const skipped = await ada.readUntil(skipping.id, (row) => outcomesOf(row)[0] === "skipped", "it is skipped");
    assert.equal((await ada.runsOf(skipping.id)).length, 1);
    assert.ok(isPlanned(skipped));
    const waiting = await ada.readUntil(queueing.id, (row) => row.waiting === "run", "it waits");
    assert.equal((await ada.runsOf(queueing.id)).length, 1);
    await ada.send("POST", "/functions/v1/agent-respond", { action: "cancel", run_id: waiting.open_run_id });
    const next = await ada.readUntil(
      queueing.id,
      (row) => row.open_run_id !== null && row.open_run_id !== waiting.open_run_id,
      "the next run is started",
    );
    assert.deepEqual(outcomesOf(next), ["started", "cancelled"]);
    assert.equal(next.failures, 0, "a run that was cancelled is no failure");
    for (const { id } of [skipping, queueing]) {
      const { open_run_id: runId } = await ada.read(id);
      await ada.send("DELETE", `/rest/v1/schedules?id=eq.${id}`);
      await ada.send("POST", "/functions/v1/agent-respond", { action: "cancel", run_id: runId });
    }
  });

  test("waits for the next window when its user has reached the rate limit, without delaying others", async () => {
    const ada = await stage.newPerson();
    const bob = await stage.newPerson();
    const rows = await Promise.all(Array.from({ length: LIMIT_AI + 4 }, () => ada.schedule()));
    const theirs = await bob.schedule();
    await bob.readUntil(theirs.id, isEnded, "that of another person is started");
    const all = `/rest/v1/schedules?select=waiting,enabled,retry_at,next_run_at`;
    let found: Parsed = [];
    await until(
      async () => {
        found = await ada.send("GET", all);
        const waiting = found.filter((row: Parsed) => row.waiting === "limit").length;
        return waiting === 4 && found.filter((row: Parsed) => !row.enabled).length === LIMIT_AI;
      },
      "those beyond the limit wait",
      () => JSON.stringify(found),
    );
    assert.equal(rows.length, found.length);
    for (const row of found.filter(({ waiting }: Parsed) => waiting !== null))
      assert.ok(Date.parse(row.retry_at) > Date.now() - 5_000 && Date.parse(row.retry_at) < Date.now() + 65_000);
  });

  test("counts starts that are rejected", async () => {
    const ada = await stage.newPerson();
    const { id: empty } = await ada.insert("swarms", { name: "Nobody" });
    const far = { ...FAR, swarm_id: empty, pause_after_failures: 0 };
    const rows = await Promise.all(Array.from({ length: LIMIT_AI + 1 }, () => ada.schedule(far)));
    for (const { id } of rows) {
      await ada.readUntil(id, isPlanned, "it is planned");
      await setDue(id, new Date());
    }
    const path = "/rest/v1/schedules?select=waiting&waiting=eq.limit";
    await until(async () => (await ada.send("GET", path)).length === 1, "the last one waits");
  });

  test("waits for the next day when a budget is used up, and starts then", async () => {
    const ada = await stage.newPerson();
    await ada.send("PATCH", `/rest/v1/user_settings?user_id=eq.${ada.id}`, { daily_token_budget: 0 });
    const { id } = await ada.schedule();
    const row = await ada.readUntil(id, ({ waiting }) => waiting === "limit", "it waits");
    assert.match(row.retry_at, /T00:00:0\d/);
    assert.deepEqual([outcomesOf(row), row.last_outcomes[0].code, row.enabled], [["waiting"], "BUDGET_EXCEEDED", true]);
    assert.deepEqual(await ada.send("GET", "/rest/v1/swarms"), [], "no conversation is begun");
    await ada.send("PATCH", `/rest/v1/user_settings?user_id=eq.${ada.id}`, { daily_token_budget: null });
    await stage.sql.query("update public.schedules set retry_at = now() where id = $1", [id]);
    await stage.sql.query("select private.wake_extension('schedules')");
    const ended = await ada.readUntil(id, isEnded, "the run ends");
    assert.deepEqual(outcomesOf(ended), ["completed"], "the outcome takes the place of the wait");
  });

  test("is paused after failures in a row, and goes on when it is switched on", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule({ ...FAR, message: "/fail refusal", pause_after_failures: 2 });
    for (const failures of [1, 2]) {
      await ada.readUntil(id, isPlanned, "it is planned");
      await setDue(id, new Date());
      await ada.readUntil(id, (row) => row.failures === failures, `${failures} failures`);
    }
    const paused = await ada.read(id);
    assert.deepEqual(
      [paused.enabled, paused.paused_reason, outcomesOf(paused)],
      [false, "failures", ["failed", "failed"]],
    );
    await ada.send("PATCH", `/rest/v1/schedules?id=eq.${id}`, { enabled: true });
    const on = await ada.readUntil(id, isPlanned, "it goes on");
    assert.deepEqual([on.failures, on.paused_reason], [0, null]);
    const empty = await ada.insert("swarms", { name: "Nobody" });
    const rejected = await ada.schedule({ ...FAR, swarm_id: empty.id });
    await ada.readUntil(rejected.id, isPlanned, "it is planned");
    await setDue(rejected.id, new Date());
    const row = await ada.readUntil(rejected.id, ({ failures }) => failures === 1, "it is rejected");
    assert.deepEqual([outcomesOf(row), row.last_outcomes[0].code, row.enabled], [["rejected"], "NO_AGENTS", true]);
  });

  test("stops when its owner may not start the run any more", async () => {
    const [ada, bob, cal, dan] = [
      await stage.newPerson(),
      await stage.newPerson(),
      await stage.newPerson(),
      await stage.newPerson(),
    ];
    const banned = await ada.schedule(FAR);
    const grant = await bob.insert("agent_grants", { agent_id: bob.agentId, audience: "user", user_id: cal.id });
    await cal.send("POST", "/functions/v1/agent-grants", { action: "accept", grant_id: grant.id });
    const granted = await cal.schedule({ ...FAR, agent_id: bob.agentId });
    const left = await bob.insert("swarms", { name: "Team" });
    await bob.insert("swarm_members", { swarm_id: left.id, user_id: dan.id });
    await dan.send("PATCH", `/rest/v1/swarm_members?swarm_id=eq.${left.id}&user_id=eq.${dan.id}`, { status: "active" });
    const shared = await dan.schedule({ ...FAR, swarm_id: left.id });
    for (const [person, { id }] of [
      [ada, banned],
      [cal, granted],
      [dan, shared],
    ] as const)
      await person.readUntil(id, isPlanned, "it is planned");
    await setAccount(ada, "banned_until = now() + interval '1 day'");
    await bob.send("DELETE", `/rest/v1/agent_grants?id=eq.${grant.id}`);
    await bob.send("DELETE", `/rest/v1/swarm_members?swarm_id=eq.${left.id}&user_id=eq.${dan.id}`);
    for (const { id } of [banned, granted, shared]) await setDue(id, new Date());
    const stopped = async (): Promise<unknown> =>
      (
        await stage.sql.query(
          "select user_id, paused_reason from public.schedules where id = any ($1) and not enabled order by created_at",
          [[banned.id, granted.id, shared.id]],
        )
      ).rows;
    const expected = [
      { user_id: ada.id, paused_reason: "UNAUTHORIZED" },
      { user_id: cal.id, paused_reason: "PERMISSION_DENIED" },
      { user_id: dan.id, paused_reason: "FORBIDDEN" },
    ];
    await until(async () => ((await stopped()) as unknown[]).length === 3, "all are stopped");
    assert.deepEqual(await stopped(), expected);
    const { rows } = await stage.sql.query("select 1 from public.runs where cause ->> 'id' = any ($1)", [
      [banned.id, granted.id, shared.id],
    ]);
    assert.deepEqual(rows, []);
    await setAccount(ada, "banned_until = null");
  });

  test("goes with its account, its agent or its swarm, and is a part of the export", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule(FAR);
    const swarm = await ada.insert("swarms", { name: "Team" });
    await ada.schedule({ ...FAR, swarm_id: swarm.id });
    const { tables } = await ada.send("GET", "/account-export");
    assert.deepEqual(tables.schedules.map((row: Parsed) => row.id).includes(id), true);
    await ada.send("DELETE", `/rest/v1/swarms?id=eq.${swarm.id}`);
    await ada.send("DELETE", `/rest/v1/agents?id=eq.${ada.agentId}`);
    assert.deepEqual(await ada.send("GET", "/rest/v1/schedules"), []);
    const again = await stage.newPerson();
    await again.schedule(FAR);
    await stage.sql.query("delete from auth.users where id = $1", [again.id]);
    const { rows } = await stage.sql.query("select 1 from public.schedules where user_id = $1", [again.id]);
    assert.deepEqual(rows, []);
  });

  test("is checked before it is stored", async () => {
    const ada = await stage.newPerson();
    const bob = await stage.newPerson();
    const faultsOf = async (row: object): Promise<unknown> =>
      (await ada.send("POST", "/rest/v1/schedules", { name: "n", message: "m", agent_id: ada.agentId, ...row }, 400))
        .details;
    assert.deepEqual(await faultsOf({ cron: "0 0 30 2 *" }), { cron: "is never due" });
    assert.deepEqual(await faultsOf({ cron: "* * * * * *" }), {
      cron: "must have five fields: minute, hour, day of the month, month, day of the week",
    });
    assert.deepEqual(await faultsOf({ cron: "0,".repeat(50_000) }), { cron: "must have 9 to 200 characters" });
    assert.deepEqual(await faultsOf({ cron: "0 0 1 1 *", time_zone: "../../etc/passwd" }), {
      time_zone: "must be a time zone such as Europe/Berlin",
    });
    assert.deepEqual(await faultsOf({}), { cron: "or run_at must be given, and not both" });
    assert.deepEqual(await faultsOf({ ...FAR, run_at: "2030-01-01" }), {
      cron: "or run_at must be given, and not both",
    });
    assert.deepEqual(await faultsOf({ run_at: "infinity" }), { run_at: "must be a time before the year 9000" });
    assert.deepEqual(await faultsOf({ ...FAR, agent_id: null }), {
      agent_id: "or swarm_id must be given, and not both",
    });
    assert.deepEqual(await faultsOf({ ...FAR, message: "" }), { message: "must have 1 to 32000 characters" });
    assert.deepEqual(await faultsOf({ ...FAR, jitter_seconds: 3601 }), {
      jitter_seconds: "must be between 0 and 3600",
    });
    assert.deepEqual(await faultsOf({ ...FAR, max_tokens: 0 }), { max_tokens: "must be at least 1" });
    const row = { name: "n", message: "m", ...FAR };
    const foreign = await ada.send("POST", "/rest/v1/schedules", { ...row, agent_id: bob.agentId }, 403);
    assert.equal(foreign.code, "PERMISSION_DENIED");
    const swarm = await bob.insert("swarms", { name: "Team" });
    assert.equal((await ada.send("POST", "/rest/v1/schedules", { ...row, swarm_id: swarm.id }, 403)).code, "FORBIDDEN");
    const own = await ada.schedule(FAR);
    const moved = await ada.send("PATCH", `/rest/v1/schedules?id=eq.${own.id}`, { agent_id: bob.agentId }, 400);
    assert.deepEqual(moved.details, { agent_id: "cannot be changed" });
    await ada.send("PATCH", `/rest/v1/schedules?id=eq.${own.id}`, { user_id: bob.id }, 403);
    const twice = await ada.send("PATCH", `/rest/v1/schedules?id=eq.${own.id}`, { run_at: "2030-01-01" }, 400);
    assert.equal(twice.code, "VALIDATION_ERROR");
    assert.deepEqual(await bob.send("PATCH", `/rest/v1/schedules?id=eq.${own.id}`, { message: "mine" }), []);
    assert.deepEqual(await bob.send("GET", `/rest/v1/schedules?id=eq.${own.id}`), []);
  });
});

describe("an API key", () => {
  test("needs run, write and share to write a schedule, which has no more rights than the key and ends with it", async () => {
    const ada = await stage.newPerson();
    const row = { name: "n", message: "Say hello.", agent_id: ada.agentId, ...FAR };
    const withKey = async (scopes: readonly string[]): Promise<Person> => {
      const key = await ada.makeKey(scopes);
      return { ...ada, send: (method, path, body, status) => stage.send(key, method, path, body, status) };
    };
    for (const scopes of [
      ["run", "write"],
      ["write", "share"],
      ["run", "share"],
    ]) {
      const refused = await (await withKey(scopes)).send("POST", "/rest/v1/schedules", row, 403);
      assert.equal(refused.code, "INSUFFICIENT_SCOPE", scopes.join());
    }
    const writer = await withKey(["read", "run", "write", "share"]);
    const [made] = await writer.send("POST", "/rest/v1/schedules", { ...row, api_key_id: null }, 201);
    assert.deepEqual(made.api_key_scopes, ["read", "write", "run", "share"]);
    await ada.send("PATCH", `/rest/v1/schedules?id=eq.${made.id}`, { message: "Say hello again." });
    const kept = await ada.readUntil(made.id, isPlanned, "it is planned");
    assert.equal(kept.api_key_id, made.api_key_id, "a person gives it no rights");
    const own = await ada.schedule(FAR);
    const [taken] = await writer.send("PATCH", `/rest/v1/schedules?id=eq.${own.id}`, { message: "Do as I say." });
    assert.equal(taken.api_key_id, made.api_key_id, "a key gives its own rights to what it writes");

    await setDue(made.id, new Date());
    const { last_outcomes } = await ada.readUntil(made.id, isEnded, "the run ends");
    const { rows } = await stage.sql.query("select api_key_id, session_id from private.run_leases where run_id = $1", [
      last_outcomes[0].run_id,
    ]);
    assert.deepEqual(rows, [{ api_key_id: made.api_key_id, session_id: null }]);
    await ada.send("POST", "/functions/v1/api-keys", { action: "revoke", id: made.api_key_id });
    await setDue(made.id, new Date());
    const stopped = await ada.readUntil(made.id, ({ enabled }) => !enabled, "it is stopped");
    assert.deepEqual([stopped.paused_reason, stopped.api_key_id], ["UNAUTHORIZED", made.api_key_id]);
    assert.equal((await ada.runsOf(made.id)).length, 1);
  });
});

describe("the function schedules", () => {
  const runNow = (person: Pick<Person, "send">, id: string, status = 200): Promise<Parsed> =>
    person.send("POST", "/functions/v1/schedules", { action: "run_now", schedule_id: id }, status);

  test("starts a run at once, also of a schedule that is switched off, and leaves its times alone", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule({ ...FAR, enabled: false });
    const { run_id, swarm_id } = await runNow(ada, id);
    const row = await ada.readUntil(id, isEnded, "the run ends");
    assert.deepEqual([row.last_outcomes[0].run_id, row.last_outcomes[0].due_at, row.enabled], [run_id, null, false]);
    assert.equal((await ada.runsOf(id))[0].swarm_id, swarm_id);
    const service = { send: stage.asService };
    assert.ok((await runNow(service, id)).run_id);
    const wrong = await ada.send("POST", "/functions/v1/schedules", { action: "run", schedule_id: "x" }, 400);
    assert.deepEqual(wrong.details, { action: "must be run_now", schedule_id: "must be a UUID" });
  });

  test("knows no schedule of somebody else, and gives a key no rights of another key or a person", async () => {
    const ada = await stage.newPerson();
    const bob = await stage.newPerson();
    const { id } = await ada.schedule(FAR);
    assert.equal((await runNow(bob, id, 404)).code, "NOT_FOUND");
    assert.equal((await runNow(bob, ada.id, 404)).code, "NOT_FOUND");
    const keys = await Promise.all([["read"], ["run"], ["run"]].map((scopes) => ada.makeKey(scopes)));
    const [reader, runner, other] = keys.map((key) => ({
      send: (...call: [string, string, unknown?, number?]): Promise<Parsed> => stage.send(key, ...call),
    }));
    assert.ok(reader && runner && other);
    assert.equal((await runNow(reader, id, 403)).code, "INSUFFICIENT_SCOPE");
    const { run_id } = await runNow(runner, id);
    const { rows } = await stage.sql.query(
      "select k.scopes from private.run_leases l join public.api_keys k on k.id = l.api_key_id where l.run_id = $1",
      [run_id],
    );
    assert.deepEqual(rows, [{ scopes: ["run"] }], "the run has the rights of the key that asks");
    await stage.sql.query(
      "update public.schedules set api_key_id = (select api_key_id from private.run_leases where run_id = $2) where id = $1",
      [id, run_id],
    );
    assert.equal((await runNow(other, id, 403)).code, "FORBIDDEN");
    await setAccount(ada, "banned_until = now() + interval '1 day'");
    assert.equal((await runNow({ send: stage.asService }, id, 401)).code, "UNAUTHORIZED");
    await setAccount(ada, "banned_until = null");
  });

  test("repeats nothing with the same Idempotency-Key, and says when a limit is reached", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule(FAR);
    const body = { action: "run_now", schedule_id: id };
    const once = { "idempotency-key": "once" };
    const first = await stage.send(ada.token, "POST", "/functions/v1/schedules", body, 200, once);
    const again = await stage.send(ada.token, "POST", "/functions/v1/schedules", body, 200, once);
    assert.deepEqual(again, first);
    assert.equal((await ada.runsOf(id)).length, 1);
    for (let started = 1; started < LIMIT_AI; started += 1) await runNow(ada, id);
    assert.equal((await runNow(ada, id, 429)).code, "RATE_LIMITED");
  });
});
