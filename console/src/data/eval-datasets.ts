import type { Database } from "@swarmbase/sdk";
import { dropRow, removeRow } from "./cached-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type ReadResult, useRows } from "./rows.ts";
import { type SaveEdit, useSaveEdit } from "./save-edit.ts";
import { once, useWrite, type Write } from "./write.ts";

export type EvalDataset = Row<"eval_datasets">;
export type EvalDatasetDraft = Required<
  Pick<Database["public"]["Tables"]["eval_datasets"]["Insert"], "name" | "description">
>;

/** The newest first. */
export function useEvalDatasets(search: string): Pages<EvalDataset> {
  return useLivePages<EvalDataset>({
    table: "eval_datasets",
    key: ["list", search],
    read: (client, { last, size }) => {
      let query = client.from("eval_datasets").select("*");
      if (search.trim() !== "") query = query.or(containsText(["name", "description"], search.trim()));
      return newestAfter(query, last).limit(size);
    },
  });
}

export function useEvalDataset(id: string): ReadResult<EvalDataset> {
  useLiveTable("eval_datasets", { filter: `id=eq.${id}` });
  return useRows({
    table: "eval_datasets",
    key: ["one", id],
    read: (client) => client.from("eval_datasets").select("*").eq("id", id).single(),
  });
}

export function useCreateEvalDataset(): Write<EvalDatasetDraft, EvalDataset> {
  return useWrite({
    tables: ["eval_datasets"],
    write: (client, draft, key) => unwrap(once(client.from("eval_datasets").insert(draft), key).select().single()),
  });
}

export function useSaveEvalDataset(): SaveEdit<EvalDataset, EvalDatasetDraft> {
  return useSaveEdit({ table: "eval_datasets" });
}

/** Does not reload its own table: the page of the deleted row is still mounted and would request that row again. */
export function useDeleteEvalDataset(): Write<string, string> {
  return useWrite({
    tables: [],
    optimistic: (id) => [{ table: "eval_datasets", change: dropRow(id) }],
    write: (client, id) => removeRow(id, () => unwrap(client.from("eval_datasets").delete().eq("id", id))),
  });
}
