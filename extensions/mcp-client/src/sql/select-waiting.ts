import type { ExtensionDatabase } from "swarmbase/extension";

const SELECT = `
  select x.id from public.tool_executions x
  where x.id = any ($1::uuid[]) and x.status in ('pending_approval', 'running')`;

/** Returns which of these tool executions have not ended. */
export async function selectWaiting(
  database: Pick<ExtensionDatabase, "asService">,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await database.asService((query) => query<{ readonly id: string }>(SELECT, [ids]));
  return new Set(rows.map(({ id }) => id));
}
