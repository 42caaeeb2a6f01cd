import type { Queryable } from "../../auth-context.ts";
import type { FactorRow, IdentityRow, UserRow, WholeUser } from "../user-row.ts";

interface Answer extends UserRow {
  readonly identities: readonly Record<string, unknown>[];
  readonly factors: readonly Record<string, unknown>[];
}

/** In one round trip: clients ask for their user with every page they render. */
export async function findWholeUser(client: Queryable, id: string): Promise<WholeUser | null> {
  const { rows } = await client.query<Answer>({
    name: "find-whole-user",
    text: `select u.*,
                  coalesce((select json_agg(i order by i.created_at, i.id)
                              from auth.identities i where i.user_id = u.id), '[]') as identities,
                  coalesce((select json_agg(f order by f.created_at, f.id)
                              from auth.mfa_factors f where f.user_id = u.id), '[]') as factors
             from auth.users u
            where u.id = $1
              and u.deleted_at is null`,
    values: [id],
  });
  const [answer] = rows;
  if (answer === undefined) return null;
  const { identities, factors, ...row } = answer;
  return { row, identities: identities.map(reviveRow<IdentityRow>), factors: factors.map(reviveRow<FactorRow>) };
}

/** What JSON makes text of is made what the driver gives for the same columns. */
function reviveRow<Row>(columns: Record<string, unknown>): Row {
  const revived = Object.entries(columns).map(([name, value]) => {
    // A bigint, which the driver gives as text.
    if (name === "last_used_step" && typeof value === "number") return [name, String(value)];
    if (typeof value !== "string") return [name, value];
    if (name.endsWith("_at")) return [name, new Date(value)];
    return [name, name.endsWith("_wrapped") ? Buffer.from(value.slice(2), "hex") : value];
  });
  return Object.fromEntries(revived) as Row;
}
