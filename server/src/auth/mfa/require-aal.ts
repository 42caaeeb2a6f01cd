import { authError } from "../auth-error.ts";
import type { Principal } from "../../db/index.ts";
import type { AuthContext, Queryable } from "../auth-context.ts";
import { findSession } from "../sessions/sql/sessions.ts";
import { hasVerifiedFactor } from "./sql/factors.ts";

const MESSAGE = "AAL2 session is required to update email or password when MFA is enabled.";

/** Who has a second factor must have shown it before changing what the account is entered with. */
export async function requireSufficientAal(_room: AuthContext, client: Queryable, principal: Principal): Promise<void> {
  if (principal.role !== "authenticated") return;
  if (!(await hasVerifiedFactor(client, principal.userId))) return;
  const sessionId = principal.session?.sessionId ?? null;
  const session = sessionId === null ? null : await findSession(client, sessionId);
  if (session?.aal !== "aal2") throw authError("insufficient_aal", MESSAGE);
}
