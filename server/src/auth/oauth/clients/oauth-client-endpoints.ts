import { randomUUID } from "node:crypto";
import { inTransaction } from "../../../db/index.ts";
import { AppError } from "../../../errors/index.ts";
import type { AuthContext } from "../../auth-context.ts";
import { authError } from "../../auth-error.ts";
import type { AuthCall, AuthEndpoint, AuthResponse } from "../../call.ts";
import { parseAuthBody } from "../../parse-call.ts";
import { countDynamicClients, insertClient, type NewClient } from "../../sql/oauth-clients.ts";
import {
  changeClient,
  createClient,
  listClients,
  readClient,
  regenerateClientSecret,
  removeClient,
} from "./admin-clients.ts";
import { CHANGE_BODY, CREATE_BODY, makeSecret, readMetadata, REGISTER_BODY, renderClient } from "./client-metadata.ts";
import { clientHost, permittedScopes, toClient } from "./client.ts";

const ALL = { path: "/admin/oauth/clients", access: "service", limit: "api" } as const;
const ONE = { ...ALL, path: "/admin/oauth/clients/:id" } as const;

export const oauthClientEndpoints: readonly AuthEndpoint[] = [
  {
    method: "POST",
    path: "/oauth/register",
    access: "public",
    limit: "auth",
    body: REGISTER_BODY,
    run: registerClient,
  },
  { method: "GET", ...ALL, run: listClients },
  { method: "POST", ...ALL, body: CREATE_BODY, run: createClient },
  { method: "GET", ...ONE, run: readClient },
  { method: "PUT", ...ONE, body: CHANGE_BODY, run: changeClient },
  { method: "DELETE", ...ONE, run: removeClient },
  { method: "POST", ...ONE, path: "/admin/oauth/clients/:id/regenerate_secret", run: regenerateClientSecret },
];

/** POST /oauth/register (RFC 7591): anybody creates a client, where the operator allows it. */
async function registerClient(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const { settings, pool, observer } = context;
  if (!settings.oauthDynamicRegistrationEnabled)
    throw authError("feature_disabled", "Clients cannot register themselves here");
  const columns = readRegistration(call);
  const { token_endpoint_auth_method: method } = columns;
  const secret = method === "none" ? null : makeSecret();
  const row = await inTransaction(pool, async (client) => {
    if ((await countDynamicClients(client)) >= settings.oauthMaxDynamicClients)
      throw authError("over_request_rate_limit", "The service has as many registered clients as it accepts", {
        retryAfterSeconds: 3_600,
      });
    return insertClient(client, { ...columns, secret_hash: secret?.secret_hash ?? null });
  });
  const registered = toClient(row);
  observer.note("oauth.client_registered", {
    clientId: row.id,
    clientName: row.name,
    host: clientHost(registered),
    registration: row.registration,
    address: call.address,
  });
  return {
    status: 201,
    body: {
      ...renderClient(row),
      scope: permittedScopes(registered).join(" "),
      client_id_issued_at: Math.floor(row.created_at.getTime() / 1000),
      // A secret that does not expire has 0.
      ...(secret !== null && { client_secret: secret.client_secret, client_secret_expires_at: 0 }),
    },
  };
}

function readRegistration(call: AuthCall): NewClient {
  try {
    const body = parseAuthBody(REGISTER_BODY, call);
    const { client_uri: uri, token_endpoint_auth_method: method = "client_secret_basic" } = body;
    const columns = readMetadata(body, false);
    const name = body.client_name ?? URL.parse(uri ?? "")?.host.slice(0, 100) ?? "Unnamed client";
    return { ...columns, id: randomUUID(), name, registration: "dynamic", token_endpoint_auth_method: method };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Clients of RFC 7591 read these two members.
    const code = error.message.startsWith("redirect_uris") ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw authError("validation_failed", error.message, { members: { error: code, error_description: error.message } });
  }
}
