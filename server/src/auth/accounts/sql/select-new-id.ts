import type { Queryable } from "../../auth-context.ts";
import { getOnly } from "../../users/sql/insert-user.ts";

/** An id before its row, for values that repeat it. */
export async function selectNewId(client: Queryable): Promise<string> {
  const { rows } = await client.query<{ id: string }>("select private.new_id() as id");
  return getOnly(rows).id;
}
