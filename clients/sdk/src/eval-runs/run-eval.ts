import type { EvalExpectation, EvalRunStatus } from "../evals.ts";
import type { Json, JsonObject } from "../json.ts";
import { type Answer, ask, type AskPorts } from "./ask.ts";
import { type EvalBaseline, findEarlier } from "./baseline.ts";
import type { EvalCase, EvalDataset } from "./eval-dataset.ts";
import { evaluate } from "./evaluate.ts";
import { judge, type Verdict } from "./judge.ts";

export const DEFAULT_EVAL_CONCURRENCY = 4;

export interface EvalPlan {
  readonly dataset: EvalDataset;
  readonly agent: { readonly id: string; readonly name: string; readonly version: number };
  /** Judges the cases whose expectation names no judge. */
  readonly judgeId: string | null;
  readonly baseline: EvalBaseline | null;
  readonly concurrency: number;
  /** Whether the conversations are kept as swarms. */
  readonly isStored: boolean;
}

/** A new row of `eval_runs`. */
export interface EvalRunStart {
  readonly dataset_id: string;
  readonly agent_id: string;
  readonly agent_version: number;
  readonly baseline_run_id: string | null;
  readonly case_count: number;
}

/** What the end of a run changes in its row. */
export interface EvalRunEnd {
  readonly status: EvalRunStatus;
  readonly finished_at: string;
  readonly passed_count?: number;
  readonly regression_count?: number;
}

/** A row of `eval_results`, without the id of the run. */
export interface EvalResult extends Record<string, Json> {
  readonly case_id: string;
  readonly case_name: string;
  readonly passed: boolean;
  readonly is_regression: boolean;
  readonly score: number | null;
  readonly reason: string;
  readonly output: string;
  readonly latency_ms: number | null;
  readonly cost_usd: number | null;
}

export interface EvalPorts extends AskPorts {
  /** With the service role: the user who pays. */
  readonly userId: string | undefined;
  now(): Date;
  /** Stores the run and returns its id. */
  insertRun(row: EvalRunStart): Promise<string>;
  insertResult(runId: string, row: EvalResult): Promise<void>;
  /** Also called after the signal was aborted. */
  endRun(runId: string, change: EvalRunEnd): Promise<void>;
  /** Why a text is not JSON that satisfies a schema, by the rules of `response_schema`; null when it is. */
  findAnswerFault(schema: Readonly<Record<string, unknown>>, text: string): Promise<string | null>;
  onResult(runId: string, result: EvalResult): void;
}

export interface EvalOutcome {
  readonly id: string;
  /** In the order of the cases. */
  readonly results: readonly EvalResult[];
}

const MAX_OUTPUT = 100_000;
const MAX_REASON = 2_000;

/** Asks the agent once for each case and stores the results as they come, so that a run that is killed keeps them. */
export async function runEval(plan: EvalPlan, ports: EvalPorts): Promise<EvalOutcome> {
  const { dataset, agent, baseline } = plan;
  const id = await ports.insertRun({
    dataset_id: dataset.id,
    agent_id: agent.id,
    agent_version: agent.version,
    baseline_run_id: baseline?.id ?? null,
    case_count: dataset.cases.length,
  });
  try {
    const results = await runCases(plan, ports, id);
    await ports.endRun(id, {
      status: "completed",
      passed_count: results.filter(({ passed }) => passed).length,
      regression_count: results.filter((result) => result.is_regression).length,
      finished_at: ports.now().toISOString(),
    });
    return { id, results };
  } catch (error) {
    const status = ports.signal.aborted ? "cancelled" : "failed";
    // The reason of the failure counts, not that it could not be stored.
    await ports.endRun(id, { status, finished_at: ports.now().toISOString() }).catch(() => {});
    throw error;
  }
}

async function runCases(plan: EvalPlan, ports: EvalPorts, runId: string): Promise<readonly EvalResult[]> {
  const results: EvalResult[] = [];
  const failures: unknown[] = [];
  const waiting = plan.dataset.cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, each] of waiting) {
      if (failures.length > 0) return;
      try {
        const result = await runCase(plan, each, ports);
        await ports.insertResult(runId, result);
        results[index] = result;
        ports.onResult(runId, result);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.concurrency, plan.dataset.cases.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

async function runCase(plan: EvalPlan, tested: EvalCase, ports: EvalPorts): Promise<EvalResult> {
  const { userId } = ports;
  const answer = await ask(ports, {
    agent_id: plan.agent.id,
    agent_version: plan.agent.version,
    messages: [{ role: "user", content: tested.input }],
    store: plan.isStored,
    user_id: userId,
  });
  const verdict = await evaluate(tested.expectation, answer, {
    findAnswerFault: (schema, text) => ports.findAnswerFault(schema, text),
    judge: (expectation, text) =>
      judge(
        { ports, agentId: judgeOf(plan, expectation), userId },
        {
          criteria: expectation.criteria,
          input: tested.input,
          answer: text,
          minScore: typeof expectation.min_score === "number" ? expectation.min_score : null,
        },
      ),
  });
  return buildResult(plan, tested, { answer, verdict });
}

function judgeOf({ judgeId }: EvalPlan, { agent_id: own }: Extract<EvalExpectation, { kind: "judge" }>): string {
  return own ?? judgeId ?? "";
}

function buildResult(
  { baseline, isStored }: EvalPlan,
  tested: EvalCase,
  { answer, verdict }: { readonly answer: Answer; readonly verdict: Verdict },
): EvalResult {
  const { run, text } = answer;
  const { passed, score, reason } = verdict;
  const tookMs = Date.parse(run.completed_at ?? "") - Date.parse(run.created_at);
  return {
    case_id: tested.id,
    case_name: tested.name,
    input: tested.input,
    expectation: tested.expectation as unknown as JsonObject,
    passed,
    is_regression: !passed && findEarlier(baseline, tested) === true,
    score,
    reason: cut(reason, MAX_REASON),
    output: cut(text, MAX_OUTPUT),
    run_id: isStored ? run.run_id : null,
    latency_ms: Number.isNaN(tookMs) ? null : Math.max(0, tookMs),
    input_tokens: run.usage?.input_tokens ?? null,
    output_tokens: run.usage?.output_tokens ?? null,
    cost_usd: run.usage?.cost_usd ?? null,
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).toWellFormed();
}
