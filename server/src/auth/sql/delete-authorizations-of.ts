import type { Queryable } from "../../db/index.ts";

/** Deletes the tokens with which tools act for the user, and attempts to get some. */
export async function deleteAuthorizationsOf(client: Queryable, userId: string): Promise<void> {
  await client.query("delete from private.tool_authorizations where owner_id = $1", [userId]);
}
