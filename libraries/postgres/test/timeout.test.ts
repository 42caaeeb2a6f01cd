import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ANON, openStage, runPipelined } from "../../../server/test/support/pipeline-stage.ts";

/** More than a short transaction takes on a busy machine. */
const TIMEOUT_MS = 3_000;
const PID = { text: "select pg_backend_pid()::text", values: [] };

describe("the driver's read timeout", { concurrency: 4 }, () => {
  for (const resetAfter of [false, true]) {
    test(`does not outlive its transaction (reset: ${resetAfter})`, async (t) => {
      const pool = (await openStage(t)).openPool({ query_timeout: TIMEOUT_MS });
      const run = () => runPipelined(pool, { scope: ANON, statements: [PID], resetAfter });
      const before = await run();
      await delay(TIMEOUT_MS * 1.1);
      assert.deepEqual(await run(), before, "the same connection serves on");
    });

    test(`abandons a transaction that hangs and drops its connection (reset: ${resetAfter})`, async (t) => {
      const pool = (await openStage(t)).openPool({ query_timeout: TIMEOUT_MS });
      const [before] = await runPipelined(pool, { scope: ANON, statements: [PID], resetAfter });
      const hanging = { text: "select pg_sleep(60)::text", values: [] };
      await assert.rejects(runPipelined(pool, { scope: ANON, statements: [hanging], resetAfter }), {
        code: "SERVICE_UNAVAILABLE",
      });
      const [after] = await runPipelined(pool, { scope: ANON, statements: [PID], resetAfter });
      assert.notDeepEqual(after?.rows, before?.rows);
    });
  }
});
