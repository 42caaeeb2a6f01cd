import type { Database } from "@swarmbase/sdk";
import { useDeleteRow } from "./changed-rows.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, newestAfter } from "./keyset.ts";
import { useLivePages } from "./live-pages.ts";
import { useLiveTable } from "./live.ts";
import { type Pages, type ReadResult, useRow } from "./rows.ts";
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
  return useRow("eval_datasets", id);
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

export function useDeleteEvalDataset(): Write<string, string> {
  return useDeleteRow("eval_datasets", []);
}
