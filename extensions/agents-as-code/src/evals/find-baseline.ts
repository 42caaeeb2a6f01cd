import { BASELINE_COLUMNS, type EvalBaseline, type EvalDataset } from "@swarmbase/sdk/evals";
import type { Session } from "../service/connect.ts";

interface RunRow {
  readonly id: string;
  readonly agent_version: number;
}

/** The run with the id, or the latest one of the dataset and the agent that can be a baseline. */
export async function findBaseline(
  { client }: Session,
  dataset: EvalDataset,
  by: { readonly runId: string } | { readonly agentId: string },
): Promise<EvalBaseline | null> {
  const { status, regression_count: regressions } = BASELINE_COLUMNS;
  const filter: Record<string, string> =
    "runId" in by
      ? { id: `eq.${by.runId}` }
      : {
          agent_id: `eq.${by.agentId}`,
          regression_count: `eq.${regressions}`,
          order: "created_at.desc,id.desc",
          limit: "1",
        };
  const query = new URLSearchParams({ dataset_id: `eq.${dataset.id}`, status: `eq.${status}`, ...filter });
  const [row] = (await client.call("GET", `/rest/v1/eval_runs?${query}`)) as unknown as readonly RunRow[];
  if (row === undefined) {
    if ("runId" in by) throw new Error(`The dataset ${JSON.stringify(dataset.name)} has no completed run ${by.runId}.`);
    return null;
  }
  const results = await client.listRows("eval_results", { eval_run_id: `eq.${row.id}` });
  return { id: row.id, agentVersion: row.agent_version, results: results as unknown as EvalBaseline["results"] };
}
