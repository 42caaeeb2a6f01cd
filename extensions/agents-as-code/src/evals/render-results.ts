import type { EvalOutcome, EvalPlan, EvalResult } from "@swarmbase/sdk/evals";
import { printable } from "../plan/render-plan.ts";

const NAME_WIDTH = 32;
const MAX_REASON = 120;
const MS_PER_SECOND = 1_000;

/** `FAIL        opening hours    1.2 s  the answer does not contain "9:00"`. */
export function renderResult({ case_name: name, passed, is_regression: isRegression, ...result }: EvalResult): string {
  const word = passed ? "pass" : isRegression ? "REGRESSION" : "FAIL";
  const seconds = result.latency_ms === null ? "" : `${(result.latency_ms / MS_PER_SECOND).toFixed(1)} s`;
  const score = result.score === null ? "" : `score ${result.score}  `;
  const note = passed && result.score === null ? "" : `${score}${shorten(printable(result.reason))}`;
  return `${word.padEnd(12)}${printable(name).padEnd(NAME_WIDTH)}${seconds.padStart(8)}  ${note}`.trimEnd();
}

export function renderSummary({ baseline }: EvalPlan, { id, results }: EvalOutcome): string {
  const passed = results.filter((result) => result.passed).length;
  const regressions = results.filter((result) => result.is_regression).length;
  const costUsd = results.reduce((total, { cost_usd: cost }) => total + (cost ?? 0), 0);
  const cost = costUsd > 0 ? `, ${costUsd.toFixed(6)} USD` : "";
  const compared =
    baseline === null
      ? "nothing to compare with"
      : `${regressions} regression${regressions === 1 ? "" : "s"} since version ${baseline.agentVersion} (${baseline.id})`;
  return `${passed} of ${results.length} passed, ${compared}${cost}. Eval run ${id}.`;
}

/** For programs: the run and its results as rows. */
export function renderJson({ dataset, agent, baseline }: EvalPlan, { id, results }: EvalOutcome): string {
  const report = {
    eval_run_id: id,
    dataset: dataset.name,
    dataset_id: dataset.id,
    agent_id: agent.id,
    agent_version: agent.version,
    baseline_run_id: baseline?.id ?? null,
    case_count: results.length,
    passed_count: results.filter(({ passed }) => passed).length,
    regression_count: results.filter((result) => result.is_regression).length,
    results,
  };
  return JSON.stringify(report, null, 2);
}

function shorten(text: string): string {
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON)}…`;
}
