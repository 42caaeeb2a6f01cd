import { AppError } from "../../errors/index.ts";
import type { AuthContext } from "../auth-context.ts";
import { selectLiveness } from "../sql/liveness.ts";

export interface PortalLink {
  readonly url: string;
  readonly expires_at: Date;
}

/** Makes a link with which a user manages their webhooks without an account of the console. Nothing is stored. */
export async function createPortalLink(
  context: Pick<AuthContext, "pool" | "clock" | "observer" | "baseUrl" | "portalTokens">,
  userId: string,
): Promise<PortalLink> {
  const { pool, clock, observer, baseUrl, portalTokens } = context;
  const user = await selectLiveness(pool, { userId, sessionId: null, now: clock.now(), inactivitySeconds: 0 });
  if (user === null) throw new AppError("NOT_FOUND", "The user does not exist");
  if (user.is_banned) throw new AppError("FORBIDDEN", "The user is banned");
  const { token, expiresAt } = portalTokens.make(userId);
  observer.note("portal.link_created", { userId, expiresAt });
  // Browsers send a fragment to no server. The page reads the time to renew the token before it ends.
  const fragment = new URLSearchParams({ token, expires_at: expiresAt.toISOString() });
  return { url: `${baseUrl}/portal#${fragment.toString()}`, expires_at: expiresAt };
}
