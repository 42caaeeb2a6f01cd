import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { RunningService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { prepareRunNodes } from "./run-nodes.ts";

const ROUNDS = 4;
const RUNS = 5;
const POSIX = { skip: process.platform === "win32" ? "needs SIGKILL" : false } as const;
/** What the sub-task does, in the directives of the simulated model. */
const WORK = "/sleep 300";
const WAIT = '/tool wait_for_event {"name": "go", "seconds": 3600}';

/** Asks an agent that delegates `tasks` at the same time to another agent. Returns the id of the run. */
async function delegate(sql: pg.Client, tasks: readonly string[]): Promise<string> {
  const calls = tasks.map((task) => `/tool research ${JSON.stringify({ message: `${task}\nDo it` })}`);
  const { rows } = await sql.query<{ id: string }>(
    `with person as (select id from auth.users order by created_at limit 1),
     team as (insert into public.swarms (owner_id, name) select id, 'team' from person returning id, owner_id),
     swarm as (insert into public.swarms (owner_id, name) select id, 'swarm' from person returning id, owner_id),
     inner_agent as (insert into public.agents (user_id, name) select owner_id, 'Ida' from team returning id),
     outer_agent as (insert into public.agents (user_id, name) select owner_id, 'Otto' from swarm returning id),
     places as (insert into public.swarm_agents (swarm_id, agent_id, position)
       select team.id, inner_agent.id, 0 from team, inner_agent
       union all select swarm.id, outer_agent.id, 0 from swarm, outer_agent),
     tool as (insert into public.tools (owner_id, name, description, kind, config, input_schema)
       select owner_id, 'research_' || replace(id::text, '-', ''), 'delegates', 'swarm', jsonb_build_object('swarm_id', id),
         '{"type": "object", "properties": {"message": {"type": "string"}}}' from team returning id, owner_id),
     assigned as (insert into public.agent_tools (agent_id, tool_id, user_id)
       select outer_agent.id, tool.id, tool.owner_id from outer_agent, tool
       union all select inner_agent.id, t.id, team.owner_id from inner_agent, team, public.tools t
         where t.name = 'wait_for_event' and t.owner_id is null),
     message as (insert into public.messages (swarm_id, sender_type, sender_user_id, content)
       select swarm.id, 'user', swarm.owner_id, replace($1, '/tool research ', '/tool research_' || replace(team.id::text, '-', '') || ' ')
       from swarm, team returning id, swarm_id, sender_user_id),
     run as (insert into public.runs (swarm_id, user_id, message_id, strategy)
       select swarm_id, sender_user_id, id, 'round_robin' from message returning id)
     insert into private.run_leases (run_id) select id from run returning run_id as id`,
    [calls.join(" ")],
  );
  return rows[0]?.id ?? "";
}

async function isSo(sql: pg.Client, condition: string, runId: string): Promise<boolean> {
  const { rows } = await sql.query<{ is_so: boolean | null }>(`select ${condition} as is_so`, [runId]);
  return rows[0]?.is_so === true;
}

/** What must hold for any run with sub-tasks that has ended: each of them once, with one answer, which its call has. */
async function describeTree(sql: pg.Client, runId: string): Promise<unknown> {
  const { rows } = await sql.query(
    `select r.status, r.stop_reason,
       (select count(*)::int from public.messages m where m.run_id = r.id and m.sender_type = 'agent') as answers,
       (select count(*)::int from public.tool_executions x where x.run_id = r.id and x.status = 'succeeded') as calls,
       (select count(*)::int from private.sub_tasks t where t.parent_run_id = r.id) as tasks,
       (select count(*)::int from public.swarms s where s.parent_run_id = r.id) as swarms,
       (select count(*)::int from private.sub_tasks t join public.runs i on i.swarm_id = t.swarm_id
        where t.parent_run_id = r.id and i.status = 'completed') as runs,
       (select count(*)::int from private.sub_tasks t join public.messages m on m.swarm_id = t.swarm_id
        where t.parent_run_id = r.id and m.sender_type = 'agent') as task_answers,
       (select count(*)::int from private.run_leases l where l.owner is not null and (l.run_id = r.id
          or l.run_id in (select private.list_sub_runs(r.id)))) as leases
     from public.runs r where r.id = $1`,
    [runId],
  );
  return rows[0];
}

const endedOnce = (tasks: number): object => ({
  status: "completed",
  stop_reason: "all_replied",
  answers: 1,
  calls: tasks,
  tasks,
  swarms: tasks,
  runs: tasks,
  task_answers: tasks,
  leases: 0,
});

const signal = (sql: pg.Client, runId: string): Promise<unknown> =>
  sql.query("select private.signal_run($1)", [
    JSON.stringify({ run_id: runId, user_id: null, is_service: true, name: "go", data: {} }),
  ]);

const TASK = "from private.sub_tasks t join public.runs i on i.id = t.run_id where t.parent_run_id = $1";

test("kill -9 in each phase of a sub-task: it runs once, and the run around it continues", {
  ...POSIX,
  ...SEVERAL_STARTS,
}, async (t) => {
  const { sql, startNode, end } = await prepareRunNodes(t);
  const phases: readonly { readonly name: string; readonly task: string; readonly is: string }[] = [
    { name: "before it begins", task: WORK, is: "exists (select 1 from public.run_turns where run_id = $1)" },
    { name: "it is queued or has begun", task: WORK, is: `exists (select 1 ${TASK})` },
    { name: "it works", task: WORK, is: `exists (select 1 ${TASK} and i.status = 'running')` },
    { name: "it waits", task: WAIT, is: `exists (select 1 ${TASK} and i.status = 'waiting')` },
    {
      name: "it has ended, and the run has not continued",
      task: WORK,
      is: `(select bool_and(i.status = 'completed') ${TASK})`,
    },
  ];
  let node: RunningService = await startNode(100);
  for (const { name, task, is } of phases) {
    const runId = await delegate(sql, [task, task]);
    const blocker = name.startsWith("it has ended");
    if (blocker) {
      // Nobody can continue the run while its swarm is locked.
      await until(() => isSo(sql, `exists (select 1 ${TASK})`, runId), name);
      await sql.query("begin");
      await sql.query(
        "select pg_advisory_xact_lock(hashtextextended(swarm_id::text, 25)) from public.runs where id = $1",
        [runId],
      );
    }
    await until(() => isSo(sql, is, runId), name);
    process.kill(node.pid, "SIGKILL");
    await node.exited;
    if (blocker) await sql.query("commit");
    node = await startNode(100);
    if (task === WAIT) {
      await until(() => isSo(sql, `(select count(*) = 2 ${TASK} and i.status = 'waiting')`, runId), "both wait");
      for (let count = 0; count < 2; count += 1) await signal(sql, runId);
    }
    await end(runId);
    assert.deepEqual(await describeTree(sql, runId), endedOnce(2), name);
  }
  assert.equal(await node.stop(), 0);
});

test("runs with sub-tasks survive nodes that are killed at any moment", {
  ...POSIX,
  timeout: SEVERAL_STARTS.timeout * 2,
}, async (t) => {
  const { sql, startNode, end } = await prepareRunNodes(t);
  let nodes: RunningService[] = [await startNode(50), await startNode(50)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const runs: string[] = [];
    for (let count = 0; count < RUNS; count += 1) runs.push(await delegate(sql, [WORK, "", WORK]));
    await sleep(300 + Math.random() * 2_000);
    const [victim, other] = nodes;
    assert.ok(victim !== undefined && other !== undefined);
    process.kill(victim.pid, "SIGKILL");
    nodes = [other, await startNode(50)];
    await Promise.all(runs.map(end));
    for (const runId of runs) assert.deepEqual(await describeTree(sql, runId), endedOnce(3), `round ${round}`);
  }
  for (const node of nodes) assert.equal(await node.stop(), 0);
});
