import type { EvalExpectation, Json, JsonObject } from "@swarmbase/sdk";
import type { Session } from "../service/connect.ts";
import { ask, type Answer } from "./ask.ts";
import { type Baseline, findEarlier } from "./baseline.ts";
import type { Dataset, EvalCase } from "./dataset.ts";
import { evaluate } from "./evaluate.ts";
import { judge, type Verdict } from "./judge.ts";

export interface EvalPlan {
  readonly dataset: Dataset;
  readonly agent: { readonly id: string; readonly name: string; readonly version: number };
  /** Judges the cases whose expectation names no judge. */
  readonly judgeId: string | null;
  readonly baseline: Baseline | null;
  readonly concurrency: number;
  /** Whether the conversations are kept as swarms. */
  readonly isStored: boolean;
}

export interface EvalPorts {
  readonly session: Session;
  readonly signal: AbortSignal;
  now(): Date;
  findAnswerFault(schema: Readonly<Record<string, unknown>>, text: string): Promise<string | null>;
  onResult(result: EvalResult): void;
}

/** A row of `eval_results`. */
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

export interface EvalOutcome {
  readonly id: string;
  /** In the order of the cases. */
  readonly results: readonly EvalResult[];
}

const MAX_OUTPUT = 100_000;
const MAX_REASON = 2_000;
const LAST_WORD_MS = 5_000;

/** Asks the agent once for each case and stores the results as they come, so that a run that is killed keeps them. */
export async function runEval(plan: EvalPlan, ports: EvalPorts): Promise<EvalOutcome> {
  const { dataset, agent, baseline } = plan;
  const { client, owner } = ports.session;
  const [created] = (await client.call("POST", "/rest/v1/eval_runs", {
    user_id: owner.id,
    dataset_id: dataset.id,
    agent_id: agent.id,
    agent_version: agent.version,
    baseline_run_id: baseline?.id ?? null,
    case_count: dataset.cases.length,
  })) as unknown as readonly { readonly id: string }[];
  const id = created?.id ?? "";
  const path = `/rest/v1/eval_runs?id=eq.${id}`;
  try {
    const results = await runCases(plan, { ...ports, runId: id });
    await client.call("PATCH", path, {
      status: "completed",
      passed_count: results.filter(({ passed }) => passed).length,
      regression_count: results.filter((result) => result.is_regression).length,
      finished_at: ports.now().toISOString(),
    });
    return { id, results };
  } catch (error) {
    const ended = { status: ports.signal.aborted ? "cancelled" : "failed", finished_at: ports.now().toISOString() };
    // The reason of the failure counts, not that it could not be stored.
    await client
      .until(AbortSignal.timeout(LAST_WORD_MS))
      .send("PATCH", path, ended)
      .catch(() => {});
    throw error;
  }
}

type CasePorts = EvalPorts & { readonly runId: string };

async function runCases(plan: EvalPlan, ports: CasePorts): Promise<readonly EvalResult[]> {
  const results: EvalResult[] = [];
  const failures: unknown[] = [];
  const waiting = plan.dataset.cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, each] of waiting) {
      if (failures.length > 0) return;
      try {
        results[index] = await runCase(plan, each, ports);
        ports.onResult(results[index]);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: plan.concurrency }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

async function runCase(plan: EvalPlan, tested: EvalCase, ports: CasePorts): Promise<EvalResult> {
  const { client, owner, isService } = ports.session;
  const userId = isService ? owner.id : undefined;
  const answer = await ask(client, {
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
        { client, agentId: judgeOf(plan, expectation), userId },
        {
          criteria: expectation.criteria,
          input: tested.input,
          answer: text,
          minScore: typeof expectation.min_score === "number" ? expectation.min_score : null,
        },
      ),
  });
  const result = buildResult(plan, tested, { answer, verdict });
  const row: JsonObject = { ...result, user_id: owner.id, eval_run_id: ports.runId };
  await client.call("POST", "/rest/v1/eval_results", row);
  return result;
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
    input_tokens: run.usage.input_tokens,
    output_tokens: run.usage.output_tokens,
    cost_usd: run.usage.cost_usd,
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).toWellFormed();
}
