import type { Queryable } from "../auth-context.ts";

export async function clearProfile(client: Queryable, userId: string): Promise<void> {
  await client.query(
    "update public.profiles set full_name = null, avatar_url = null, updated_at = now() where id = $1",
    [userId],
  );
}
