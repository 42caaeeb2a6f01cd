import { dropRow, type KeyedRow, removeRow, replaceRow } from "./cached-rows.ts";
import type { Client, TableName } from "./client.ts";
import { unwrap } from "./failure.ts";
import { once, useWrite, type Write } from "./write.ts";

/** The tables whose rows users change one by one, with those that are read again after a delete. */
const READ_AFTER_DELETE = {
  agent_grants: ["agent_grants"],
  agent_tools: ["agent_tools", "agent_versions"],
  agents: ["swarm_agents"],
  eval_cases: [],
  eval_datasets: [],
  event_feeds: ["event_feeds"],
  guardrails: ["agent_versions"],
  schedules: [],
  swarm_agents: ["swarm_agents", "swarms"],
  swarm_members: ["swarm_members", "swarms", "swarm_agents"],
  swarms: ["swarms"],
  tools: ["agent_tools", "agent_versions"],
  triggers: [],
  webhooks: ["webhooks"],
} as const satisfies Readonly<Record<string, readonly TableName[]>>;

type ChangedTable = keyof typeof READ_AFTER_DELETE;

/** A change of how an agent answers makes a version. */
function readAfterChange(table: ChangedTable): readonly TableName[] {
  return table === "agent_tools" || table === "guardrails" ? [table, "agent_versions"] : [table];
}

/** Makes a row. `affects`: other tables that are read again. */
export function useInsertRow<Draft extends object>(
  table: ChangedTable,
  affects: readonly TableName[] = [],
): Write<Draft, { readonly id: string }> {
  return useWrite({
    tables: [...readAfterChange(table), ...affects],
    write: (client, draft, key) => {
      const inserted = rowsOf(client, table).insert(draft as never);
      return unwrap(once(inserted.select("id").single(), key));
    },
  });
}

/** Changes columns of a row, in the lists at once. */
export function useUpdateRow<Change extends KeyedRow>(table: ChangedTable): Write<Change, KeyedRow> {
  return useWrite({
    tables: readAfterChange(table),
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

/** Deletes the row with an id. A page of this row does not read it again while it is being closed, unless its table is read again. */
export function useDeleteRow(table: ChangedTable): Write<string, string> {
  return useWrite({
    tables: READ_AFTER_DELETE[table],
    optimistic: (id) => [{ table, change: dropRow(id) }],
    write: (client, id) => removeRow(id, () => unwrap(rowsOf(client, table).delete().eq("id", id))),
  });
}

/** One type stands for all tables: the client has no types for a choice of them. */
function rowsOf(client: Client, table: ChangedTable) {
  return client.from(table as "agents");
}
