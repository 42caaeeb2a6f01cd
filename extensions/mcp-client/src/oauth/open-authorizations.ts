import { randomBytes } from "node:crypto";
import { AppError, type Authorizations, ToolFailure } from "swarmbase/extension";
import type { McpContext } from "../settings.ts";
import {
  type AuthorizationRow,
  claimAttempt,
  deleteAuthorization,
  listAuthorizations,
  listCredentials,
  prepareAuthorization,
  storeAttempt,
  storeCredentials,
} from "../sql/authorizations.ts";
import { CALLBACK_PATH, hashOf } from "./callback-route.ts";
import {
  type Attempt,
  type Credentials,
  type OAuthClient,
  type Sealer,
  sealFor,
  toCredentials,
  unsealOf,
} from "./credentials.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { registerAtServer } from "./register-client.ts";
import { revokeTokens } from "./revoke-tokens.ts";

export interface AuthorizationOptions
  extends Sealer,
    Pick<McpContext, "database" | "now" | "fetch" | "findUrlFault" | "newId" | "baseUrl" | "isRedirectAllowed"> {
  /** For one request to an authorization server. */
  readonly oauthTimeoutMs: number;
}

const ATTEMPT_MS = 600_000;
const STATE_BYTES = 32;
const MAX_PER_OWNER = 100;

/** Authorization code with PKCE, for owners of MCP tools. */
export function openAuthorizations(options: AuthorizationOptions): Authorizations {
  const { database, findUrlFault } = options;
  const fetchFn = createOAuthFetch(options.fetch, options.oauthTimeoutMs);
  const withdraw = async ({ id, credentials_wrapped: wrapped }: AuthorizationRow): Promise<void> => {
    try {
      if (wrapped !== null) await revokeTokens(unsealOf<Credentials>(options, id, wrapped), fetchFn);
    } catch {
      // The service has forgotten the tokens, whether their server can be reached or not.
    }
  };
  return {
    async start({ ownerId, url, scope: wantedScope, clientId, clientSecret, redirectTo }) {
      const urlFault = findUrlFault(url);
      if (urlFault !== null) throw new AppError("INVALID_URL", urlFault, { details: { url: urlFault } });
      if (redirectTo !== undefined && !options.isRedirectAllowed(redirectTo))
        throw invalid("redirect_to", "must belong to SITE_URL or REDIRECT_ALLOW_LIST");
      const made = { newId: options.newId(), maxPerOwner: MAX_PER_OWNER };
      const row = await prepareAuthorization(database, { ownerId, url }, made);
      if (row === null) throw invalid("url", `is one more than the ${MAX_PER_OWNER} servers that an owner can have`);
      const redirectUrl = `${options.baseUrl()}${CALLBACK_PATH}`;
      const { client, scope } = await explained(() =>
        registerAtServer({
          url,
          redirectUrl,
          known: findClient(options, row),
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
      const expiresAt = new Date(options.now().getTime() + ATTEMPT_MS);
      await storeAttempt(database, row.id, {
        stateHash: hashOf(state),
        expiresAt,
        redirectTo: redirectTo === undefined ? null : new URL(redirectTo).href,
        wrapped: sealFor(options, row.id, { client, codeVerifier }),
      });
      return { authorization_url: authorizationUrl.href, state, expires_at: expiresAt.toISOString() };
    },

    async finish({ callerId, state, code, iss }) {
      const claimed = await claimAttempt(database, hashOf(state), callerId);
      if (claimed === null)
        throw invalid("state", "is not that of an authorization of yours, or has expired or been used");
      const { id, url } = claimed;
      const { client, codeVerifier } = unsealOf<Attempt>(options, id, claimed.attempt_wrapped);
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
      const wrapped = sealFor(options, id, toCredentials(client, tokens, options.now().getTime()));
      await storeCredentials(database, id, { wrapped, scope });
      return { url, scope };
    },

    list: (ownerId) => listAuthorizations(database, ownerId),
    async revoke(authorization) {
      const row = await deleteAuthorization(database, authorization);
      if (row !== null) await withdraw(row);
      return row !== null;
    },
    async prepareWithdrawal(ownerId) {
      const rows = await listCredentials(database, ownerId);
      return () => {
        for (const row of rows) void withdraw(row);
      };
    },
  };
}

function findClient(
  sealer: Sealer,
  { id, credentials_wrapped: wrapped }: { readonly id: string; readonly credentials_wrapped: string | null },
): OAuthClient | null {
  return wrapped === null ? null : unsealOf<Credentials>(sealer, id, wrapped).client;
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
