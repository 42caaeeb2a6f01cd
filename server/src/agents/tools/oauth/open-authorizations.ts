import { createHash, randomBytes } from "node:crypto";
import type pg from "pg";
import { AppError } from "../../../errors/index.ts";
import type { GuardedFetch } from "../../../outbound/index.ts";
import type { Clock } from "../../../time/index.ts";
import { ToolFailure } from "../tool-failure.ts";
import {
  type AuthorizationKey,
  type AuthorizationRow,
  claimAttempt,
  deleteAuthorization,
  findReturn,
  type ListedAuthorization,
  listAuthorizations,
  listCredentials,
  prepareAuthorization,
  storeAttempt,
  storeCredentials,
} from "../sql/mcp-authorizations.ts";
import { type Attempt, type Credentials, type OAuthClient, seal, toCredentials, unseal } from "./credentials.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { registerAtServer } from "./register-client.ts";
import { revokeTokens } from "./revoke-tokens.ts";

export interface AuthorizationOptions {
  readonly pool: pg.Pool;
  /** The key of tool secrets. */
  readonly key: Buffer;
  readonly clock: Clock;
  readonly guarded: Pick<GuardedFetch, "fetch" | "findUrlFault">;
  /** For one request to an authorization server. */
  readonly oauthTimeoutMs: number;
  newId(): string;
  /** Where authorization servers send browsers back. Throws before the service listens. */
  callbackUrl(): string;
  /** Whether a browser may be sent there with the answer. */
  isReturnAllowed(url: string): boolean;
}

interface StartCall extends AuthorizationKey {
  readonly scope?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly redirectTo?: string | undefined;
}

interface FinishCall {
  /** Null is the service role. */
  readonly callerId: string | null;
  readonly state: string;
  readonly code: string;
  readonly iss?: string | undefined;
}

export interface Authorizations {
  start(
    call: StartCall,
  ): Promise<{ readonly authorization_url: string; readonly state: string; readonly expires_at: string }>;
  finish(call: FinishCall): Promise<{ readonly url: string; readonly scope: string | null }>;
  list(ownerId: string | null): Promise<readonly ListedAuthorization[]>;
  /** Deletes the tokens, and withdraws them at their server if it can be reached. False: there were none. */
  revoke(key: AuthorizationKey): Promise<boolean>;
  /** Reads the tokens of an account that is about to be deleted. The result withdraws them at their servers. */
  prepareWithdrawal(ownerId: string): Promise<() => void>;
  /** Where the browser continues; null when there is no such attempt, or not any more. */
  findReturn(state: string): Promise<{ readonly redirectTo: string | null } | null>;
}

const ATTEMPT_MS = 600_000;
const STATE_BYTES = 32;
const MAX_PER_OWNER = 100;

/** Authorization code with PKCE, for owners of MCP tools. */
export function openAuthorizations(options: AuthorizationOptions): Authorizations {
  const { pool, key, clock, guarded } = options;
  const fetchFn = createOAuthFetch(guarded, options.oauthTimeoutMs);
  const withdraw = async ({ id, credentials_wrapped: wrapped }: AuthorizationRow): Promise<void> => {
    try {
      if (wrapped !== null) await revokeTokens(unseal<Credentials>(key, id, wrapped), fetchFn);
    } catch {
      // The service has forgotten the tokens, whether their server can be reached or not.
    }
  };
  return {
    async start({ ownerId, url, scope: wantedScope, clientId, clientSecret, redirectTo }) {
      const urlFault = guarded.findUrlFault(url);
      if (urlFault !== null) throw new AppError("INVALID_URL", urlFault, { details: { url: urlFault } });
      if (redirectTo !== undefined && !options.isReturnAllowed(redirectTo))
        throw invalid("redirect_to", "must belong to SITE_URL or REDIRECT_ALLOW_LIST");
      const made = { newId: options.newId(), maxPerOwner: MAX_PER_OWNER };
      const row = await prepareAuthorization(pool, { ownerId, url }, made);
      if (row === null) throw invalid("url", `is one more than the ${MAX_PER_OWNER} servers that an owner can have`);
      const redirectUrl = options.callbackUrl();
      const { client, scope } = await explained(() =>
        registerAtServer({
          url,
          redirectUrl,
          known: findClient(key, row),
          clientId,
          clientSecret,
          scope: wantedScope,
          fetchFn,
        }),
      );
      const state = randomBytes(STATE_BYTES).toString("base64url");
      const { startAuthorization } = await import("@modelcontextprotocol/client");
      const { authorizationUrl, codeVerifier } = await explained(() =>
        startAuthorization(client.issuerUrl, {
          clientInformation: client.information,
          redirectUrl,
          state,
          ...(client.metadata !== null && { metadata: client.metadata }),
          ...(client.resource !== null && { resource: client.resource }),
          ...(scope !== undefined && { scope }),
        }),
      );
      // The address comes from the server, and the app opens it.
      if (!/^https?:$/.test(authorizationUrl.protocol))
        throw new AppError("TOOL_ERROR", "The authorization server has no address that a browser can open");
      const expiresAt = new Date(clock.now().getTime() + ATTEMPT_MS);
      await storeAttempt(pool, row.id, {
        stateHash: hashOf(state),
        expiresAt,
        redirectTo: redirectTo === undefined ? null : new URL(redirectTo).href,
        wrapped: seal(key, row.id, { client, codeVerifier }),
      });
      return { authorization_url: authorizationUrl.href, state, expires_at: expiresAt.toISOString() };
    },

    async finish({ callerId, state, code, iss }) {
      const claimed = await claimAttempt(pool, hashOf(state), callerId);
      if (claimed === null)
        throw invalid("state", "is not that of an authorization of yours, or has expired or been used");
      const { id, url } = claimed;
      const { client, codeVerifier } = unseal<Attempt>(key, id, claimed.attempt_wrapped);
      const { exchangeAuthorization } = await import("@modelcontextprotocol/client");
      const tokens = await explained(() =>
        exchangeAuthorization(client.issuerUrl, {
          clientInformation: client.information,
          authorizationCode: code,
          codeVerifier,
          redirectUri: client.redirectUrl,
          fetchFn,
          ...(client.metadata !== null && { metadata: client.metadata }),
          ...(client.resource !== null && { resource: client.resource }),
          ...(iss !== undefined && { iss }),
        }),
      );
      const scope = tokens.scope?.replaceAll("\0", "").slice(0, 4_096) ?? null;
      const wrapped = seal(key, id, toCredentials(client, tokens, clock.now().getTime()));
      await storeCredentials(pool, id, { wrapped, scope });
      return { url, scope };
    },

    list: (ownerId) => listAuthorizations(pool, ownerId),
    async revoke(authorization) {
      const row = await deleteAuthorization(pool, authorization);
      if (row !== null) await withdraw(row);
      return row !== null;
    },
    async prepareWithdrawal(ownerId) {
      const rows = await listCredentials(pool, ownerId);
      return () => {
        for (const row of rows) void withdraw(row);
      };
    },
    async findReturn(state) {
      const found = await findReturn(pool, hashOf(state));
      return found === null ? null : { redirectTo: found.redirect_to };
    },
  };
}

function findClient(
  key: Buffer,
  { id, credentials_wrapped: wrapped }: { readonly id: string; readonly credentials_wrapped: string | null },
): OAuthClient | null {
  return wrapped === null ? null : unseal<Credentials>(key, id, wrapped).client;
}

function hashOf(state: string): Buffer {
  return createHash("sha256").update(state).digest();
}

function invalid(field: string, fault: string): AppError {
  return new AppError("VALIDATION_ERROR", "The authorization cannot be started or finished", {
    details: { [field]: fault },
  });
}

/** The texts of the servers are not shown: they can contain anything. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { explainOAuthError } = await import("./explain-oauth-error.ts");
    const failure = explainOAuthError(error);
    throw new AppError("TOOL_ERROR", failure instanceof ToolFailure ? failure.message : String(failure), {
      cause: error,
    });
  }
}
