import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openConnection, renderRequest } from "../load/http-connection.ts";
import type { Progress } from "../rest/progress.ts";
import type { User } from "../versions/start-version.ts";
import { listDescendants, readCpuMs } from "./descendants.ts";
import { type MemoryService, toRun } from "./memory-service.ts";
import { writeScript } from "./script-marker.ts";

export interface ScheduleFigures {
  readonly count: number;
  readonly users: number;
  /** CPU of a start and its run: service and PostgreSQL. */
  readonly cpuMs: number;
  readonly childCpuMs: number;
  /** The same of a run that a call has started. */
  readonly askedCpuMs: number;
  readonly askedChildCpuMs: number;
  /** From the due time until the run was stored, of the middle one and of the last one. */
  readonly p50Ms: number;
  readonly latestMs: number;
  /** From the due time until the last run had ended. */
  readonly endMs: number;
}

export interface SchedulePlan {
  readonly users: number;
  /** Schedules of each user. */
  readonly each: number;
  /** Runs of each user that calls start, for comparison. */
  readonly callsEach: number;
  /** From the first write of a schedule until all are due. */
  readonly leadMs: number;
}

const SCRIPT = { delayMs: 0, pieces: 12, piecesPerSecond: 0, isStamped: false };
const MESSAGE = "Go on.";
const CONNECTIONS = 8;
const POLL_MS = 500;
const PATIENCE_MS = 600_000;

/** Schedules of many users, all due at the same moment; before that, runs of the same agents by calls. */
export async function measureSchedules(
  service: MemoryService,
  { users: userCount, each, callsEach, leadMs }: SchedulePlan,
  progress: Progress,
): Promise<ScheduleFigures> {
  const sql = new pg.Client(service.databaseUrl);
  await sql.connect();
  try {
    const users: { user: User; agentId: string }[] = [];
    for (let number = 0; number < userCount; number += 1) {
      const user = await service.signUp();
      const agent = { name: "Ada", framework: "provider_c", system_prompt: writeScript(SCRIPT) };
      const [agentId = ""] = await service.insert(user, "agents", [agent]);
      users.push({ user, agentId });
    }
    const count = userCount * each;
    const ended = (): Promise<number> => readNumber(sql, "count(*) filter (where finished_at is not null)");
    const watch = async (
      runs: number,
      isOver: () => Promise<boolean>,
    ): Promise<{ cpuMs: number; childCpuMs: number }> => {
      const children = listDescendants(service.pid);
      const [before, childrenBefore] = [readCpuMs([service.pid]), readCpuMs(children)];
      const untilMs = performance.now() + PATIENCE_MS;
      while (!(await isOver())) {
        if (performance.now() > untilMs) throw new Error(`${await ended()} runs have ended in ${PATIENCE_MS} ms.`);
        await sleep(POLL_MS);
      }
      return {
        cpuMs: (readCpuMs([service.pid]) - before) / runs,
        childCpuMs: (readCpuMs(children) - childrenBefore) / runs,
      };
    };

    progress.stage(`${userCount * callsEach} runs by calls`);
    const calls = users.flatMap(({ user, agentId }) =>
      Array.from({ length: callsEach }, () =>
        toRun(user, { agent_id: agentId, conversation: "new", message: MESSAGE }),
      ),
    );
    const called = await watch(calls.length, async () => {
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          const connection = await openConnection(service.target);
          for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
            const { status, text } = await connection.ask(renderRequest(service.target, call));
            if (status !== 200) throw new Error(`A run was answered with ${status}: ${text.slice(0, 500)}`);
          }
          connection.close();
        }),
      );
      return true;
    });
    const before = await ended();

    progress.stage(`${count} schedules are written`);
    const dueAtMs = Date.now() + leadMs;
    const run_at = new Date(dueAtMs).toISOString();
    for (const { user, agentId } of users) {
      const row = { name: "Report", agent_id: agentId, message: MESSAGE, run_at };
      await service.insert(
        user,
        "schedules",
        Array.from({ length: each }, () => row),
      );
    }
    const unplanned = "exists (select from public.schedules where next_run_at is null)";
    for (let left = true; left; await sleep(POLL_MS)) {
      left = (await sql.query<{ left: boolean }>(`select ${unplanned} as left`)).rows[0]?.left === true;
      if (Date.now() > dueAtMs) throw new Error(`The schedules were not planned in ${leadMs} ms.`);
    }
    await sleep(dueAtMs - Date.now());
    progress.stage(`${count} schedules are due`);
    const scheduled = await watch(count, async () => (await ended()) === before + count);
    const latency = (of: string): Promise<number> =>
      readNumber(sql, `1000 * extract(epoch from ${of} - $1::timestamptz)`, [run_at]);
    return {
      count,
      users: userCount,
      ...scheduled,
      askedCpuMs: called.cpuMs,
      askedChildCpuMs: called.childCpuMs,
      p50Ms: await latency("percentile_disc(0.5) within group (order by created_at) filter (where cause is not null)"),
      latestMs: await latency("max(created_at) filter (where cause is not null)"),
      endMs: await latency("max(finished_at)"),
    };
  } finally {
    await sql.end();
  }
}

async function readNumber(sql: pg.Client, of: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await sql.query<{ of: string }>(`select ${of} as of from public.runs`, [...values]);
  return Number(rows[0]?.of);
}
