import type { EvalPlan } from "@swarmbase/sdk/evals";
import { useQueryClient } from "@tanstack/react-query";
import { getClient, getConfig } from "./client.ts";
import { findEvalBaseline, loadEvalCases, openEvalPorts } from "./eval-ports.ts";
import { Failure, toFailure, unwrap } from "./failure.ts";
import { beforeSignOut, getAccessToken } from "./session.ts";
import { createStore, useStore } from "./store.ts";
import { useWrite, type Write } from "./write.ts";

/** An eval run of this tab. */
export interface EvalProgress {
  readonly done: number;
  readonly total: number;
  readonly isRunning: boolean;
  /** The seconds that it waits for the rate limit; 0 when it does not. */
  readonly waitSeconds: number;
  /** Why it failed. */
  readonly failure: Failure | null;
}

interface EvalRequest {
  readonly dataset: { readonly id: string; readonly name: string };
  readonly agent: { readonly id: string; readonly name: string };
  /** Null for the latest. */
  readonly version: number | null;
  readonly judgeId: string | null;
  readonly isStored: boolean;
}

/** The field of a request that has an error, in the `fields` of the failure. */
export const JUDGE_FIELD = "judge";

interface OwnRun {
  readonly progress: EvalProgress;
  readonly abort: AbortController;
  /** Resolves when the run has ended and its row says so. */
  readonly ended: Promise<void>;
}

/** By the id of the run. They outlive pages, and end with the tab. */
const runs = createStore<ReadonlyMap<string, OwnRun>>(new Map());

/** Null for a run of another tab or of the command, and after a reload. */
export function useEvalProgress(runId: string): EvalProgress | null {
  return useStore(runs).get(runId)?.progress ?? null;
}

export function cancelEval(runId: string): void {
  runs.get().get(runId)?.abort.abort();
}

/** Starts a run in this tab. Returns its id when it is stored. */
export function useStartEval(): Write<EvalRequest, string> {
  const queries = useQueryClient();
  const onEnd = (): void => {
    for (const table of ["eval_runs", "eval_results"]) void queries.invalidateQueries({ queryKey: [table] });
  };
  return useWrite({
    tables: ["eval_runs"],
    write: async (_client, request) => startEval(await planEval(request), onEnd),
  });
}

async function planEval(request: EvalRequest): Promise<EvalPlan> {
  const { dataset, agent, judgeId, isStored } = request;
  const { DEFAULT_EVAL_CONCURRENCY, findUnjudged } = await import("@swarmbase/sdk/evals");
  const client = getClient();
  const cases = await loadEvalCases(client, dataset.id);
  if (cases.length === 0) throw new Failure("The dataset has no cases yet.", {});
  const unjudged = judgeId === null ? findUnjudged({ cases }) : null;
  if (unjudged !== null) {
    const message = `The case “${unjudged.name}” needs a judge.`;
    throw new Failure(message, { fields: { [JUDGE_FIELD]: message } });
  }
  return {
    dataset: { ...dataset, cases },
    agent: { ...agent, version: request.version ?? (await findLatestVersion(agent.id)) },
    judgeId,
    baseline: await findEvalBaseline(client, { datasetId: dataset.id, agentId: agent.id }),
    concurrency: DEFAULT_EVAL_CONCURRENCY,
    isStored,
  };
}

async function findLatestVersion(agentId: string): Promise<number> {
  const versions = getClient().from("agent_versions").select("number").eq("agent_id", agentId);
  const latest = await unwrap(versions.order("number", { ascending: false }).limit(1).single());
  return latest.number;
}

async function startEval(plan: EvalPlan, onEnd: () => void): Promise<string> {
  const { runEval } = await import("@swarmbase/sdk/evals");
  const abort = new AbortController();
  let runId = "";
  const change = (next: Partial<EvalProgress>): void => {
    const own = runs.get().get(runId);
    if (own !== undefined) setRun(runId, { ...own, progress: { ...own.progress, ...next } });
  };
  const { promise: started, resolve: start, reject: refuse } = Promise.withResolvers<string>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const ports = openEvalPorts({
    client: getClient(),
    signal: abort.signal,
    onWait: (waitSeconds) => change({ waitSeconds }),
  });
  const total = plan.dataset.cases.length;
  const outcome = runEval(plan, {
    ...ports,
    insertRun: async (row) => {
      runId = await ports.insertRun(row);
      const progress = { done: 0, total, isRunning: true, waitSeconds: 0, failure: null };
      setRun(runId, { progress, abort, ended });
      start(runId);
      return runId;
    },
    onResult: () => change({ done: (runs.get().get(runId)?.progress.done ?? 0) + 1 }),
  });
  const finish = async (error: unknown): Promise<void> => {
    const failure = error === null || abort.signal.aborted ? null : await toFailure(error);
    change({ isRunning: false, waitSeconds: 0, failure });
    end();
    onEnd();
  };
  void outcome.then(
    () => finish(null),
    (error: unknown) => {
      refuse(error);
      return finish(error);
    },
  );
  return started;
}

function setRun(runId: string, run: OwnRun): void {
  runs.set(new Map(runs.get()).set(runId, run));
}

function listRunning(): readonly string[] {
  return [...runs.get()].flatMap(([id, { progress }]) => (progress.isRunning ? [id] : []));
}

beforeSignOut(async () => {
  const running = [...runs.get().values()].filter(({ progress }) => progress.isRunning);
  for (const { abort } of running) abort.abort();
  await Promise.all(running.map(({ ended }) => ended));
});

addEventListener("beforeunload", (event) => {
  if (listRunning().length > 0) event.preventDefault();
});

/** The page cannot wait for a response any more; the service cancels the runs of the agent when their connections close. */
addEventListener("pagehide", () => {
  const running = listRunning();
  if (running.length === 0) return;
  const { url, anonKey } = getConfig();
  void fetch(`${url}/rest/v1/eval_runs?id=in.(${running.join(",")})&status=eq.running`, {
    method: "PATCH",
    keepalive: true,
    headers: {
      apikey: anonKey,
      authorization: `Bearer ${getAccessToken() ?? ""}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ status: "cancelled", finished_at: new Date().toISOString() }),
  }).catch(() => {});
});
