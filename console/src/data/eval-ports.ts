import { DEFAULT_RETRY_AFTER_SECONDS } from "@swarmbase/sdk";
import type { EvalBaseline, EvalCase, EvalPorts } from "@swarmbase/sdk/evals";
import type { Database } from "@swarmbase/sdk";
import type { Client } from "./client.ts";
import { Failure, unwrap } from "./failure.ts";
import { once } from "./write.ts";

type Insert<Name extends "eval_runs" | "eval_results"> = Database["public"]["Tables"][Name]["Insert"];

interface EvalPortsOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Called before a wait for the rate limit, and with 0 after it. */
  onWait(seconds: number): void;
}

const TOO_MANY_REQUESTS = 429;
const MAX_WAITS = 20;
const PAGE_ROWS = 500;

/** Stores the rows of an eval run, and asks agents, as the signed-in user. */
export function openEvalPorts(options: EvalPortsOptions): Omit<EvalPorts, "onResult"> {
  const { client, signal } = options;
  const pause = async (seconds: number): Promise<void> => {
    options.onWait(seconds);
    await sleep(seconds * 1_000, signal);
    options.onWait(0);
  };
  /** Repeats a call that the rate limit rejected. */
  const send = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let waits = 0; ; waits += 1) {
      signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        const isLimited = error instanceof Failure && error.status === TOO_MANY_REQUESTS;
        if (!isLimited || waits === MAX_WAITS) throw error;
        await pause(DEFAULT_RETRY_AFTER_SECONDS);
      }
    }
  };
  return {
    client,
    signal,
    userId: undefined,
    now: () => new Date(),
    pause,
    insertRun: async (row) => {
      const key = crypto.randomUUID();
      return (await send(() => unwrap(once(client.from("eval_runs").insert(row).select("id").single(), key)))).id;
    },
    insertResult: async (runId, row) => {
      const result = { ...row, eval_run_id: runId } as unknown as Insert<"eval_results">;
      const key = crypto.randomUUID();
      await send(() => unwrap(once(client.from("eval_results").insert(result), key)));
    },
    endRun: async (runId, change) => {
      // A user who has cancelled the run expects its status to change, even at the rate limit.
      await unwrap(client.from("eval_runs").update(change).eq("id", runId));
    },
    findAnswerFault: async (schema, text) => {
      const call = { body: { schema, text } };
      const answer = await send(() => unwrap(client.functions.invoke<{ fault: string | null }>("check-answer", call)));
      return answer?.fault ?? null;
    },
  };
}

export async function loadEvalCases(client: Client, datasetId: string): Promise<readonly EvalCase[]> {
  return loadAll((from) =>
    unwrap(
      client
        .from("eval_cases")
        .select("id, name, input, expectation")
        .eq("dataset_id", datasetId)
        .order("position")
        .order("id")
        .range(from, from + PAGE_ROWS - 1),
    ),
  );
}

/** The run that the results are compared with; null when there is none. */
export async function findEvalBaseline(
  client: Client,
  { datasetId, agentId }: { readonly datasetId: string; readonly agentId: string },
): Promise<EvalBaseline | null> {
  const { BASELINE_COLUMNS } = await import("@swarmbase/sdk/evals");
  const [run] = await unwrap(
    client
      .from("eval_runs")
      .select("id, agent_version")
      .match({ ...BASELINE_COLUMNS, dataset_id: datasetId, agent_id: agentId })
      .order("created_at", { ascending: false })
      .order("id", { ascending: false })
      .limit(1),
  );
  if (run === undefined) return null;
  const results = await loadAll((from) =>
    unwrap(
      client
        .from("eval_results")
        .select("case_id, input, expectation, passed")
        .eq("eval_run_id", run.id)
        .order("id")
        .range(from, from + PAGE_ROWS - 1),
    ),
  );
  return { id: run.id, agentVersion: run.agent_version, results };
}

async function loadAll<T>(read: (from: number) => Promise<readonly T[]>): Promise<readonly T[]> {
  const rows: T[] = [];
  for (;;) {
    const page = await read(rows.length);
    // A short page is not the last one when the service returns fewer rows at a time.
    if (page.length === 0) return rows;
    rows.push(...page);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
