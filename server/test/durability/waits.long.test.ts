import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PROXIED } from "../app/node-client.ts";
import { endProcesses, listProcessTree } from "../support/process-tree.ts";
import type { RunningService } from "../support/service.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { describeRun, ENDED_ONCE, prepareRunNodes } from "./run-nodes.ts";

const KILLS = 20;
const RUNS_PER_KILL = 3;
const ENV = { ...PROXIED, SIMULATED_TOKENS_PER_SECOND: "200" };
/** Some waits are due soon, others end by signals alone. Those of one name are ended in turn. */
const MESSAGE = [
  '/tool sleep {"seconds": 2}',
  '/tool wait_for_event {"name": "go", "seconds": 86400}',
  '/tool wait_for_event {"name": "go", "seconds": 86401}',
  '/tool wait_for_event {"name": "never", "seconds": 4}',
].join("\n");
const SIGNALS = 2;

test("of all waits through twenty kill -9 of nodes, each ends once, and none is lost", {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  timeout: SEVERAL_STARTS.timeout * 3,
}, async (t) => {
  const { sql, startNode, ask, end } = await prepareRunNodes(t);
  let nodes: RunningService[] = [await startNode(200, ENV), await startNode(200, ENV)];
  const runIds: string[] = [];
  const sending: Promise<void>[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (let number = 0; number < RUNS_PER_KILL; number += 1) {
      const runId = await ask(MESSAGE);
      runIds.push(runId);
      for (let data = 0; data < SIGNALS; data += 1) sending.push(sendSurely(() => nodes, runId, data));
    }
    await sleep(1_000 * Math.random());
    const [victim, other] = nodes;
    assert.ok(victim !== undefined && other !== undefined);
    endProcesses(await listProcessTree(victim.pid), "SIGKILL");
    nodes = [other];
    nodes = [other, await startNode(200, ENV)];
  }
  await Promise.all(sending);
  for (const runId of runIds) {
    await end(runId);
    assert.deepEqual(await describeRun(sql, runId), ENDED_ONCE);
    const { rows } = await sql.query<{ ends: number; calls: number; data: unknown }>(
      `select count(*)::int as calls,
         (select count(*)::int from public.run_events e where e.run_id = $1 and e.type = 'tool.executed') as ends,
         jsonb_agg(p.output -> 'data' order by p.output -> 'data') filter (where p.output ->> 'ended_by' = 'signal') as data
       from public.tool_executions x join public.tool_execution_payloads p on p.tool_execution_id = x.id
       where x.run_id = $1 and x.status = 'succeeded'`,
      [runId],
    );
    assert.deepEqual(rows, [{ calls: 4, ends: 4, data: [0, 1] }], runId);
  }
  const left = await sql.query("select 1 from private.run_signals");
  assert.equal(left.rowCount, 0);
  t.diagnostic(`${runIds.length} runs with 4 waits each over ${KILLS} kills`);
  for (const node of nodes) assert.equal(await node.stop(), 0);
});

/** Sends a signal until a node has answered. The key makes it count once, however often it was stored without an answer. */
async function sendSurely(listNodes: () => readonly RunningService[], runId: string, data: number): Promise<void> {
  const key = randomUUID();
  await sleep(4_000 * Math.random());
  for (;;) {
    const [node] = listNodes();
    const { url = "", service_role_key: role = "" } = node?.credentials ?? {};
    const answer = await fetch(new URL("/functions/v1/agent-respond", url), {
      method: "POST",
      headers: {
        "x-forwarded-proto": "https",
        apikey: role,
        authorization: `Bearer ${role}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ action: "signal", run_id: runId, name: "go", data }),
    }).catch(() => null);
    if (answer?.status === 200) return;
    const isOver = answer !== null && answer.status < 500;
    assert.ok(!isOver, isOver ? await answer.text() : "");
    await sleep(200);
  }
}
