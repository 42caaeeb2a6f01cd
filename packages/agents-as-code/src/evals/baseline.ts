import type { EvalExpectation, Json } from "@swarmbase/sdk";
import { isSame } from "../model/json.ts";
import type { Session } from "../service/connect.ts";
import type { Dataset, EvalCase } from "./dataset.ts";

interface BaselineResult {
  readonly case_id: string | null;
  readonly input: string;
  readonly expectation: EvalExpectation;
  readonly passed: boolean;
}

/** The earlier run that results are compared with. */
export interface Baseline {
  readonly id: string;
  readonly agentVersion: number;
  readonly results: readonly BaselineResult[];
}

interface RunRow {
  readonly id: string;
  readonly agent_version: number;
}

/**
 * The run with the id, or the latest completed run of the dataset and the agent that had no regression itself: a regression stays
 * one until it is repaired, or until a run is compared with a baseline that has it.
 */
export async function findBaseline(
  { client }: Session,
  dataset: Dataset,
  by: { readonly runId: string } | { readonly agentId: string },
): Promise<Baseline | null> {
  const filter: Record<string, string> =
    "runId" in by
      ? { id: `eq.${by.runId}` }
      : { agent_id: `eq.${by.agentId}`, regression_count: "eq.0", order: "created_at.desc,id.desc", limit: "1" };
  const query = new URLSearchParams({ dataset_id: `eq.${dataset.id}`, status: "eq.completed", ...filter });
  const [row] = (await client.call("GET", `/rest/v1/eval_runs?${query}`)) as unknown as readonly RunRow[];
  if (row === undefined) {
    if ("runId" in by) throw new Error(`The dataset ${JSON.stringify(dataset.name)} has no completed run ${by.runId}.`);
    return null;
  }
  const results = await client.listRows("eval_results", { eval_run_id: `eq.${row.id}` });
  return { id: row.id, agentVersion: row.agent_version, results: results as unknown as readonly BaselineResult[] };
}

/** Whether the case passed before; null when it is new, or has changed since. */
export function findEarlier(baseline: Baseline | null, { id, input, expectation }: EvalCase): boolean | null {
  const earlier = baseline?.results.find((result) => result.case_id === id);
  if (earlier === undefined || earlier.input !== input) return null;
  return isSame(earlier.expectation as Json, expectation as Json) ? earlier.passed : null;
}
