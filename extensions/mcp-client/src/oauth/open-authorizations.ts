import type { FetchLike, OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { Authorizations } from "swarmbase/extension";
import {
  type AuthorizationRow,
  claimAttempt,
  deleteAuthorizations,
  listAuthorizations,
  listCredentials,
  selectConnectServer,
  storeCredentials,
} from "../sql/authorizations.ts";
import { hashOf } from "./callback-route.ts";
import { type Attempt, type Credentials, informationOf, sealFor, toCredentials, unsealOf } from "./credentials.ts";
import { createOAuthFetch } from "./oauth-fetch.ts";
import { type AttemptOptions, explained, invalid, startAttempt } from "./start-attempt.ts";

/** Authorization code with PKCE, for owners of MCP tools and for people whose account tools use. */
export function openAuthorizations(options: AttemptOptions): Authorizations {
  const { database, clients } = options;
  const fetchFn = createOAuthFetch(options.fetch, options.oauthTimeoutMs);
  const withdraw = async ({ id, credentials_wrapped: wrapped }: AuthorizationRow): Promise<void> => {
    try {
      const credentials = wrapped === null ? null : unsealOf<Credentials>(options, id, wrapped);
      const information = credentials === null ? null : informationOf(clients, credentials.client);
      if (credentials !== null && information !== null) await revokeTokens(credentials, { information, fetchFn });
    } catch {
      // The service has forgotten the tokens, whether their server can be reached or not.
    }
  };
  return {
    async start({ ownerId, account = "owner", url, ...wanted }) {
      if (account === "asker" && ownerId === null) throw invalid("account", "must be owner for the service role");
      if (account === "asker" && (wanted.clientId ?? wanted.clientSecret ?? wanted.scope) !== undefined)
        throw invalid("account", "cannot be combined with client_id, client_secret and scope");
      const server = { protocol: "mcp", url } as const;
      const { started } = await startAttempt(options, { ...wanted, ownerId, account, server, executionId: null });
      return started;
    },

    async connect({ personId, executionId, redirectTo }) {
      const server = await selectConnectServer(database, executionId, personId);
      if (server === null) throw invalid("tool_execution_id", "waits for no account of yours");
      const key = { ownerId: personId, account: "asker", server } as const;
      const { started } = await startAttempt(options, { ...key, redirectTo, executionId });
      return started;
    },

    async finish({ callerId, state, code, iss }) {
      const claimed = await claimAttempt(database, hashOf(state), callerId);
      if (claimed === null)
        throw invalid("state", "is not that of an authorization of yours, or has expired or been used");
      const { id, url } = claimed;
      const { client, codeVerifier, executionId } = unsealOf<Attempt>(options, id, claimed.attempt_wrapped);
      const information = informationOf(clients, client);
      if (information === null) throw invalid("state", "is that of a client that the operator has removed");
      const { exchangeAuthorization } = await import("@modelcontextprotocol/client");
      const tokens = await explained(() =>
        exchangeAuthorization(client.issuerUrl, {
          clientInformation: information,
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
      await storeCredentials(database, id, { wrapped, scope, executionId });
      return { url, scope };
    },

    list: (ownerId) => listAuthorizations(database, ownerId),
    async revoke(authorization) {
      const rows = await deleteAuthorizations(database, authorization);
      await Promise.all(rows.map(withdraw));
      return rows.length > 0;
    },
    async prepareWithdrawal(ownerId) {
      const rows = await listCredentials(database, ownerId);
      return () => {
        for (const row of rows) void withdraw(row);
      };
    },
  };
}

/**
 * Withdraws the tokens at their authorization server (RFC 7009) if it says where. Servers differ in whether one token takes the
 * other with it, so both are sent.
 */
async function revokeTokens(
  { client, tokens }: Credentials,
  { information, fetchFn }: { readonly information: OAuthClientInformationMixed; readonly fetchFn: FetchLike },
): Promise<void> {
  // The types of the package lack these members of OpenID providers.
  const metadata = client.metadata as Readonly<Record<string, unknown>> | null;
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } = metadata ?? {};
  if (typeof endpoint !== "string") return;
  const sdk = await import("@modelcontextprotocol/client");
  const url = sdk.assertSecureTokenEndpoint(endpoint);
  const method = sdk.selectClientAuthMethod(information, Array.isArray(methods) ? methods.map(String) : []);
  const { refresh_token, access_token } = tokens;
  const send = async ([hint, token]: readonly [string, string | undefined]): Promise<void> => {
    if (token === undefined) return;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded", accept: "application/json" });
    authenticate(method, information, { headers, body });
    const response = await fetchFn(url, { method: "POST", headers, body });
    await response.body?.cancel();
  };
  await Promise.all(Object.entries({ refresh_token, access_token }).map(send));
}

function authenticate(
  method: string,
  { client_id: id, client_secret: secret = "" }: OAuthClientInformationMixed,
  { headers, body }: { readonly headers: Headers; readonly body: URLSearchParams },
): void {
  if (method === "client_secret_basic") {
    const pair = [id, secret].map((part) => encodeURIComponent(part)).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    return;
  }
  body.set("client_id", id);
  if (method === "client_secret_post") body.set("client_secret", secret);
}
