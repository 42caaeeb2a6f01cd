import type { Principal } from "../db/index.ts";
import { AppError } from "../errors/index.ts";

/** On whose behalf a function acts; null is the service role, which may act for anybody. */
export function callerIdOf({ role, userId }: Principal): string | null {
  if (role === "service_role") return null;
  if (userId === null) throw new AppError("UNAUTHORIZED", "A signed-in user is needed");
  return userId;
}
