import type { Database } from "@swarmbase/sdk";
import type { Client, Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type ReadResult, usePages, useRow } from "./rows.ts";
import { once, useWrite, type Write } from "./write.ts";

export type EvalCase = Row<"eval_cases">;
export type EvalCaseDraft = Pick<
  Database["public"]["Tables"]["eval_cases"]["Insert"],
  "name" | "input" | "expectation"
>;

/** A question and an answer from which the form of a new case begins, in the state of its location. */
export interface SuggestedCase {
  readonly input: string;
  readonly answer: string;
}

/** In their order. */
export function useEvalCases(datasetId: string, isOn = true): Pages<EvalCase> {
  useLiveTable("eval_cases", { filter: `dataset_id=eq.${datasetId}`, isOn });
  return usePages<EvalCase>({
    table: "eval_cases",
    key: ["of", datasetId],
    isOn,
    read: (client, { last, size }) => {
      let query = client.from("eval_cases").select("*").eq("dataset_id", datasetId);
      if (last !== null)
        query = query.or(`position.gt.${last.position},and(position.eq.${last.position},id.gt.${last.id})`);
      return query.order("position").order("id").limit(size);
    },
  });
}

export function useEvalCase(id: string, isOn: boolean): ReadResult<EvalCase> {
  return useRow("eval_cases", id, { isOn });
}

interface NewCase {
  readonly datasetId: string;
  readonly draft: EvalCaseDraft;
}

export function useCreateEvalCase(): Write<NewCase, Pick<EvalCase, "id">> {
  return useWrite({
    tables: ["eval_cases"],
    write: async (client, { datasetId, draft }, key) => {
      const position = await findNextPosition(client, datasetId);
      const row = { ...draft, dataset_id: datasetId, position };
      return unwrap(once(client.from("eval_cases").insert(row).select("id").single(), key));
    },
  });
}

/** Two cases may get the same position, when two tabs add them at once; their ids then decide. */
async function findNextPosition(client: Client, datasetId: string): Promise<number> {
  const [last] = await unwrap(
    client
      .from("eval_cases")
      .select("position")
      .eq("dataset_id", datasetId)
      .order("position", { ascending: false })
      .limit(1),
  );
  return last === undefined ? 0 : last.position + 1;
}
