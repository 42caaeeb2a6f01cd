import type { Principal } from "../db/index.ts";
import { AppError } from "../errors/index.ts";

/** Returns the user on whose behalf a function acts; null for the service role, which can act for everybody. */
export function callerIdOf({ role, userId }: Principal): string | null {
  if (role === "service_role") return null;
  if (userId === null) throw new AppError("UNAUTHORIZED", "A signed-in user is needed");
  return userId;
}
