import { dropRow, type KeyedRow, removeRow, replaceRow } from "./cached-rows.ts";
import type { Client, TableName } from "./client.ts";
import { unwrap } from "./failure.ts";
import { useWrite, type Write } from "./write.ts";

type ChangedTable =
  | "agent_grants"
  | "agent_tools"
  | "agents"
  | "eval_cases"
  | "eval_datasets"
  | "event_feeds"
  | "guardrails"
  | "schedules"
  | "swarm_agents"
  | "swarm_members"
  | "swarms"
  | "tools"
  | "triggers"
  | "webhooks";

/** Changes columns of a row, in the lists at once. `reloads`: the tables that are read again. */
export function useUpdateRow<Change extends KeyedRow>(
  table: ChangedTable,
  reloads: readonly TableName[] = [table],
): Write<Change, KeyedRow> {
  return useWrite({
    tables: reloads,
    optimistic: (change) => [{ table, change: replaceRow(change) }],
    write: (client, { id, ...columns }) =>
      unwrap(
        rowsOf(client, table)
          .update(columns as object)
          .eq("id", id)
          .select("id")
          .single(),
      ),
  });
}

/** Deletes the row with an id. A page of this row does not read it again while it is being closed, unless `reloads` names its table. */
export function useDeleteRow(table: ChangedTable, reloads: readonly TableName[]): Write<string, string> {
  return useWrite({
    tables: reloads,
    optimistic: (id) => [{ table, change: dropRow(id) }],
    write: (client, id) => removeRow(id, () => unwrap(rowsOf(client, table).delete().eq("id", id))),
  });
}

/** One type stands for all tables: the client has no types for a choice of them. */
function rowsOf(client: Client, table: ChangedTable) {
  return client.from(table as "agents");
}
