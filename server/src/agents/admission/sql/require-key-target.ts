import type pg from "pg";
import { apiKeyIdOf, type Principal, readsAll } from "../../../db/index.ts";
import { type Rejection, toAppError } from "../../rejections/rejections.ts";
import { callValue } from "../../rejections/call-function.ts";

/** Throws when the principal is an API key that may not ask there. */
export async function requireKeyTarget(
  pool: pg.Pool,
  principal: Principal,
  { swarmId, agentId }: { readonly swarmId: string | null; readonly agentId: string | null },
): Promise<void> {
  if (readsAll(principal)) return;
  const rejection = await callValue<Rejection | null>(pool, {
    name: "respond-key-target",
    text: "select private.check_key_target($1::uuid, $2::uuid, $3::uuid) as value",
    values: [apiKeyIdOf(principal), swarmId, agentId],
  });
  if (rejection !== null) throw toAppError(rejection);
}
