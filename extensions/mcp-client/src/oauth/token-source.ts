import { setTimeout as sleep } from "node:timers/promises";
import { type AccountTokens, AppError, ToolFailure } from "swarmbase/extension";
import type { McpContext } from "../settings.ts";
import {
  type AuthorizationRow,
  type AuthorizationTarget,
  claimRenewal,
  releaseRenewal,
  selectAuthorization,
  storeRenewed,
} from "../sql/authorizations.ts";
import { type Credentials, informationOf, sealFor, toCredentials, unsealOf } from "./credentials.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import type { OperatorClients } from "./operator-clients.ts";

/** Somebody has to sign in at the server first. */
export class NotAuthorized extends ToolFailure {}

interface TokenPorts extends Pick<McpContext, "database" | "seal" | "unseal" | "now" | "fetch"> {
  /** For one request to an authorization server. */
  readonly oauthTimeoutMs: number;
  readonly clients: OperatorClients;
}

interface Held {
  readonly row: AuthorizationRow;
  readonly credentials: Credentials;
}

/** Tokens are renewed this long before they expire. */
const MARGIN_MS = 30_000;
/** In timeouts. Longer than a renewal takes: a node that dies in it must not block the others for long. */
const LEASE = 2;
/** In timeouts, longer than a lease. */
const PATIENCE = 2.5;
const WAIT_MS = 100;

/** Reads the database each time: another node may have renewed the tokens, or the owner withdrawn them. */
export function createTokenSource(ports: TokenPorts, authorization: AuthorizationTarget): AccountTokens {
  const { database, oauthTimeoutMs } = ports;
  const fetchFn = createOAuthFetch(ports.fetch, oauthTimeoutMs);

  const load = async (): Promise<Held> => {
    const row = await selectAuthorization(database, authorization);
    if (row === null || row.credentials_wrapped === null) throw notAuthorized();
    return { row, credentials: unsealOf<Credentials>(ports, row.id, row.credentials_wrapped) };
  };

  /** Returns when the credentials have changed, or another call is at it. */
  const renewOnce = async ({ row, credentials }: Held): Promise<void> => {
    const { client, tokens } = credentials;
    const { refresh_token: refreshToken } = tokens;
    const information = informationOf(ports.clients, client);
    if (refreshToken === undefined || information === null) throw notAuthorized();
    const leaseMs = LEASE * oauthTimeoutMs;
    if (!(await retryWhileAway(() => claimRenewal(database, row, leaseMs), leaseMs))) {
      await sleep(WAIT_MS);
      return;
    }
    const { refreshAuthorization } = await import("@modelcontextprotocol/client");
    try {
      const renewed = await refreshAuthorization(client.issuerUrl, {
        clientInformation: information,
        refreshToken,
        fetchFn,
        ...(client.metadata !== null && { metadata: client.metadata }),
        ...(client.resource !== null && { resource: client.resource }),
      });
      const wrapped = sealFor(ports, row.id, toCredentials(client, renewed, ports.now().getTime()));
      // The server has replaced the refresh token, so the new one must not be lost.
      await retryWhileAway(() => storeRenewed(database, row, wrapped), leaseMs);
    } catch (error) {
      const { explainOAuthError, isFinal } = await import("./explain-oauth-error.ts");
      if (isFinal(error)) {
        await storeRenewed(database, row, null);
        throw notAuthorized(error);
      }
      if (!isAway(error)) await releaseRenewal(database, row);
      throw isAway(error) ? error : explainOAuthError(error);
    }
  };

  /** Repeats until the credentials are no longer those that `isOld` describes. */
  const renewWhile = async (isOld: (held: Held) => boolean): Promise<Held> => {
    const deadlineMs = performance.now() + PATIENCE * oauthTimeoutMs;
    while (performance.now() < deadlineMs) {
      const held = await retryWhileAway(load, deadlineMs - performance.now());
      if (!isOld(held)) return held;
      await renewOnce(held);
    }
    throw new ToolFailure("TOOL_UNREACHABLE", "The access token of the tool could not be renewed in time.", {
      isRetryable: true,
    });
  };

  const isExpiring = ({ credentials: { expiresAtMs, tokens } }: Held): boolean => {
    if (expiresAtMs === null) return false;
    // Without a refresh token, the last moments count too.
    const margin = tokens.refresh_token === undefined ? 0 : MARGIN_MS;
    return expiresAtMs - margin <= ports.now().getTime();
  };

  return {
    async take() {
      let version: string | null = null;
      // Renewed once: a server may give tokens that are about to expire from the start.
      const { row, credentials } = await renewWhile((held) => {
        version ??= held.row.version;
        return held.row.version === version && isExpiring(held);
      });
      return { token: credentials.tokens.access_token, version: row.version };
    },
    async renew(version) {
      await renewWhile(({ row }) => row.version === version);
    },
  };
}

/** A database that cannot be reached for a moment must not fail the call of a tool. */
async function retryWhileAway<T>(ask: () => Promise<T>, forMs: number): Promise<T> {
  const deadlineMs = performance.now() + forMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) || performance.now() >= deadlineMs) throw error;
      await sleep(WAIT_MS);
    }
  }
}

function isAway(error: unknown): boolean {
  return error instanceof AppError && error.code === "SERVICE_UNAVAILABLE";
}

function notAuthorized(cause?: unknown): ToolFailure {
  const message = "The tool's owner has to authorize the service at the MCP server.";
  return new NotAuthorized("TOOL_UNUSABLE", message, { cause });
}
