import type pg from "pg";
import type { Claims, PrincipalSession, UserPrincipal } from "../../db/index.ts";
import { ToolFailure } from "../../errors/index.ts";
import type { Clock } from "../../time/index.ts";
import { selectStarter, type StarterRow } from "./sql/select-starter.ts";
import type { ToolStarter } from "./tool-port.ts";

interface StartersOptions {
  /** The pool of the service role. */
  readonly pool: pg.Pool;
  readonly clock: Clock;
  /** How long a session may be unused; 0 is no limit. */
  readonly inactivitySeconds: number;
  /** Users who have a second factor must have passed it. */
  readonly isAal2Required: boolean;
  /** What a token of the person would say instead. Default: the same. */
  customizeClaims?(claims: Claims): Promise<Claims>;
}

export interface Starters {
  /** The starter of a run, for one of its tool calls. */
  of(userId: string, executionId: string): ToolStarter;
}

export function openStarters(options: StartersOptions): Starters {
  return {
    of: (userId, executionId) => ({
      userId,
      async open() {
        const starter = await selectStarter(options.pool, executionId, options.inactivitySeconds);
        if (starter === null)
          throw new ToolFailure("TOOL_UNUSABLE", "The tool may not act for the person who asked any more.");
        const { run_id: runId, agent_id: agentId, tool_id: toolId } = starter;
        return {
          principal: await withClaims(toPrincipal(starter, options), options),
          call: { runId, agentId, toolId, executionId },
        };
      },
    }),
  };
}

/** API keys are no tokens, so theirs stay as they are. */
async function withClaims(principal: UserPrincipal, { customizeClaims }: StartersOptions): Promise<UserPrincipal> {
  if (customizeClaims === undefined || principal.scopes !== undefined) return principal;
  const claims = await customizeClaims(principal.claims).catch((cause: unknown) => {
    throw new ToolFailure("TOOL_UNUSABLE", "The claims of the person who asked were refused.", { cause });
  });
  return { ...principal, claims };
}

/** The principal of a new token or of the API key, without the id of a session: policies of the app must not take a tool for it. */
function toPrincipal(
  starter: StarterRow,
  { clock, inactivitySeconds, isAal2Required }: StartersOptions,
): UserPrincipal {
  const { id: userId, api_key: key, session_id: sessionId } = starter;
  const session: PrincipalSession =
    key === null
      ? { userId, sessionId, inactivitySeconds, isAal2Required }
      : { userId, sessionId: key.id, inactivitySeconds: 0, isAal2Required };
  const claims = {
    sub: userId,
    aud: "authenticated",
    role: "authenticated",
    iat: Math.floor(clock.now().getTime() / 1000),
    email: starter.email ?? "",
    phone: "",
    app_metadata: starter.app_metadata,
    user_metadata: starter.user_metadata,
    aal: key?.aal ?? starter.aal,
    amr: [],
    is_anonymous: starter.is_anonymous,
  };
  if (key === null) return { role: "authenticated", userId, claims, session };
  const { id: keyId, scopes, resources, client_id } = key;
  const keyClaims = { api_key_id: keyId, scopes, resources, ...(client_id !== null && { client_id }) };
  return { role: "authenticated", userId, scopes, resources, claims: { ...claims, ...keyClaims }, session };
}
