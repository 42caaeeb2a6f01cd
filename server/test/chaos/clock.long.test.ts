import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { describeRun, ENDED_ONCE } from "../durability/run-nodes.ts";
import { fakeClock } from "./faked-environment.ts";
import { openFaultStage } from "./fault-stage.ts";
import { reconcile } from "./reconcile.ts";

const HOUR_MS = 3_600_000;
/** The built-in tool. */
const SLEEP = "019a8000-0000-7000-8000-000000000006";
const OPTIONS = {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  ...SEVERAL_STARTS,
};

for (const [direction, offsetMs] of [
  ["ahead", HOUR_MS],
  ["back", -HOUR_MS],
] as const)
  test(
    `a clock of the node that jumps an hour ${direction} and returns costs sessions a refresh, and loses and repeats nothing`,
    OPTIONS,
    async (t) => {
      const folder = await createTemporaryFolder(t, "swarmbase-clock-");
      const clock = fakeClock(folder);
      const { receiver, writer, observe, growBy, service, answered } = await openFaultStage(t, {
        nodeOptions: clock.nodeOptions,
        env: {
          LIMIT_API: "1000000",
          PROVIDER_A_KIND: "simulated",
          SIMULATED_TOKENS_PER_SECOND: "20",
          AGENT_RUN_LEASE_SECONDS: "5",
        },
      });
      await writer.insert("webhooks", { name: "chaos", url: `${receiver.url}/hook`, events: ["agent.created"] });
      // One in ten is retried, so that retries are waiting at each jump.
      let count = 0;
      receiver.answer = () => ({ status: (count += 1) % 10 === 0 ? 503 : 200 });
      const agentId = await writer.insert("agents", { name: "Speaker", framework: "provider_a" });
      await writer.insert("agent_tools", { agent_id: agentId, tool_id: SLEEP });
      const ask = async (message = "Tell me more. ".repeat(10)): Promise<string> => {
        const { status, text } = await writer.ask("/functions/v1/agent-respond", {
          body: { agent_id: agentId, message, background: true },
        });
        if (status === 401) return ask(message);
        assert.equal(status, 202, text);
        return (JSON.parse(text) as { run_id: string }).run_id;
      };
      const runIds: string[] = [];
      const view = await observe(`the clock jumps an hour ${direction}`, async () => {
        for (const offset of [offsetMs, 0]) {
          runIds.push(await ask(), await ask('/tool sleep {"seconds": 2}'));
          await clock.jump(offset);
          await growBy(50);
          runIds.push(await ask());
          const { headers } = await writer.ask("/rest/v1/agents?select=id&limit=1", { method: "GET" });
          const leftSeconds = Number(headers["x-ratelimit-reset"]) - (Date.now() + offset) / 1_000;
          assert.ok(leftSeconds > -5 && leftSeconds <= 61, `the limit resets in ${leftSeconds} s`);
        }
      });
      for (const { reasons, errorsForMs } of [view.writes, view.reads]) {
        assert.deepEqual(
          Object.keys(reasons).filter((reason) => reason !== "401"),
          [],
        );
        assert.ok(errorsForMs <= 5_000, `${errorsForMs} ms`);
      }
      const sql = new pg.Client({ connectionString: service.credentials.database_url });
      await sql.connect();
      try {
        for (const runId of runIds) {
          await until(async () => {
            const { rowCount } = await sql.query(
              "select 1 from public.runs where id = $1 and finished_at is not null",
              [runId],
            );
            return rowCount === 1;
          }, "the run has ended");
          assert.deepEqual(await describeRun(sql, runId), ENDED_ONCE);
        }
      } finally {
        await sql.end();
      }
      await reconcile({ service, receiver, paths: ["/hook"], answered: new Set(answered) });
    },
  );
