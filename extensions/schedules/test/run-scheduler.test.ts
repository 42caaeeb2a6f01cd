import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import type { ExtensionContext, RunStartAnswer } from "swarmbase/extension";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { runScheduler } from "../src/worker/run-scheduler.ts";
import { openStage, type Person, type Stage } from "./support/stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
let pool: pg.Pool;
before(async () => {
  // The tests run the loop themselves.
  stage = await openStage(closers, { ROLES: "api,realtime" });
  pool = new pg.Pool({ connectionString: stage.databaseUrl });
  closers.unshift(() => pool.end());
});
after(async () => {
  for (const close of closers) await close();
});

const newId = (): string => crypto.randomUUID();
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);

/** Runs the loop over the schedules of the database until the work is done. */
async function whileScheduling(
  startRun: (key: string) => RunStartAnswer | Promise<RunStartAnswer>,
  work: (countTransactions: () => number) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  const failures: unknown[] = [];
  let transactions = 0;
  const asService: ExtensionContext["database"]["asService"] = async (inside) => {
    transactions += 1;
    const client = await pool.connect();
    try {
      await client.query("begin");
      const result = await inside(
        async <Row extends object>(text: string, values: readonly unknown[] = []) =>
          (await client.query<Row>(text, [...values])).rows,
      );
      await client.query("commit");
      return result;
    } finally {
      client.release();
    }
  };
  const running = runScheduler(abort.signal, {
    database: { asService } as ExtensionContext["database"],
    startRun: async (_userId, _start, key) => await startRun(key),
    onWake: () => () => {},
    fail: (_what, error) => void failures.push(error),
  });
  try {
    await work(() => transactions);
  } finally {
    abort.abort();
    await running;
  }
  assert.deepEqual(failures, []);
}

/** A schedule that is due at a time. */
async function makeDue(person: Person, dueAt: Date, row: object = {}): Promise<string> {
  const { id } = await person.schedule({ cron: "0 0 1 1 *", ...row });
  await pool.query("update public.schedules set due_at = $2, next_run_at = $2 where id = $1", [id, dueAt]);
  return id;
}

const wordsOf = (row: Parsed): string[] => row.last_outcomes.map(({ outcome }: { outcome: string }) => outcome);

describe("the scheduler", () => {
  test("passes over a time whose run was started before, and has no run in progress then", async () => {
    const ada = await stage.newPerson();
    const id = await makeDue(ada, new Date());
    const once = await makeDue(ada, new Date(), { cron: null, run_at: new Date().toISOString() });
    const answer = { outcome: "started", runId: newId(), swarmId: newId(), isRepeated: true } as const;
    await whileScheduling(
      () => answer,
      async () => {
        const row = await ada.readUntil(id, ({ next_run_at }) => Date.parse(next_run_at) > Date.now(), "the next time");
        assert.deepEqual([row.open_run_id, row.last_outcomes], [null, []]);
        const over = await ada.readUntil(once, ({ enabled }) => !enabled, "it is over");
        assert.equal(over.open_run_id, null);
      },
    );
  });

  test("asks of each time that was missed what its schedule says, also when the user has reached the rate limit", async () => {
    const ada = await stage.newPerson();
    // As many as are started at a time, so that the limit is reached before the last one is looked at.
    const others = await Promise.all(Array.from({ length: 8 }, () => makeDue(ada, hoursAgo(2))));
    const skipping = await makeDue(ada, hoursAgo(1), { when_missed: "skip" });
    const started: string[] = [];
    let isLimited = true;
    await whileScheduling(
      (key) => {
        if (isLimited) return { outcome: "limited", code: "RATE_LIMITED", message: "m", retryAfterSeconds: 1 };
        started.push(key.slice(0, 36));
        return { outcome: "started", runId: newId(), swarmId: newId(), isRepeated: false };
      },
      async () => {
        const isWaiting = async (): Promise<boolean> =>
          (await ada.send("GET", "/rest/v1/schedules?waiting=eq.limit")).length > 0;
        await until(isWaiting, "the limit is reached");
        isLimited = false;
        await ada.readUntil(skipping, (row) => row.last_outcomes.length > 0, "it is decided about");
        for (const id of others) await ada.readUntil(id, (row) => row.open_run_id !== null, "the others are started");
      },
    );
    assert.deepEqual(wordsOf(await ada.read(skipping)), ["missed"]);
    assert.deepEqual(started.toSorted(), others.toSorted());
  });

  test("shows a start that the service is late for as waiting, so that it is not missed", async () => {
    const ada = await stage.newPerson();
    const late = await makeDue(ada, new Date(Date.now() - 200_000), { when_missed: "skip" });
    const due = await makeDue(ada, new Date(), { when_missed: "skip" });
    const waited = new Map<string, string | null>();
    await whileScheduling(
      async (key) => {
        const id = key.slice(0, 36);
        const { rows } = await pool.query("select waiting from public.schedules where id = $1", [id]);
        waited.set(id, rows[0].waiting);
        return { outcome: "started", runId: newId(), swarmId: newId(), isRepeated: false };
      },
      () => until(() => waited.size === 2, "both are started"),
    );
    assert.deepEqual([waited.get(late), waited.get(due)], ["service", null]);
  });

  test("starts what has waited for a limit before later times of the same user", async () => {
    const ada = await stage.newPerson();
    // Many more than are started at a time: one of these may take longer than others.
    for (let count = 0; count < 20; count += 1) await makeDue(ada, new Date(Date.now() - 10_000));
    const waiting = await makeDue(ada, hoursAgo(1));
    const hold = "update public.schedules set waiting = 'limit', retry_at = now() - interval '1 second' where id = $1";
    await pool.query(hold, [waiting]);
    const started: string[] = [];
    await whileScheduling(
      (key) => {
        started.push(key.slice(0, 36));
        return { outcome: "started", runId: newId(), swarmId: newId(), isRepeated: false };
      },
      () => until(() => started.length === 21, "all are started"),
    );
    assert.ok(started.indexOf(waiting) < 10, String(started.indexOf(waiting)));
  });

  test("looks again soon when another transaction holds the schedule of a run that has ended", async () => {
    const ada = await stage.newPerson();
    const { id } = await ada.schedule({ cron: "0 0 1 1 *" });
    const runId = newId();
    await stage.sql.query(
      "update public.schedules set open_run_id = $2, due_at = now() + interval '1 day', next_run_at = now() + interval '1 day' where id = $1",
      [id, runId],
    );
    await stage.sql.query(
      "insert into private.ended_extension_runs (extension, run_id, source_id) values ('schedules', $1, $2)",
      [runId, id],
    );
    await stage.sql.query("begin");
    await stage.sql.query("select 1 from public.schedules where id = $1 for update", [id]);
    await whileScheduling(
      () => assert.fail("nothing is due"),
      async (countTransactions) => {
        await until(() => countTransactions() >= 3, "the loop has looked at the run");
        await stage.sql.query("commit");
        const releasedAtMs = performance.now();
        await ada.readUntil(id, ({ open_run_id }) => open_run_id === null, "the outcome is written");
        // Without a reason to look again the loop sleeps for a minute.
        assert.ok(performance.now() - releasedAtMs < 30_000);
      },
    );
  });
});
