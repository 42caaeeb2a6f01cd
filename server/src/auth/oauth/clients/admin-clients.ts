import { randomUUID } from "node:crypto";
import { inTransaction, type Queryable } from "../../../db/index.ts";
import { renderPageLinks, parsePage } from "../../admin/read-accounts.ts";
import type { AuthContext } from "../../auth-context.ts";
import { authError } from "../../auth-error.ts";
import type { AuthCall, AuthResponse } from "../../call.ts";
import { findUnstorable } from "../../find-unstorable.ts";
import { parseAuthBody } from "../../parse-call.ts";
import {
  type ClientRow,
  countClients,
  deleteClient,
  findClientRow,
  insertClient,
  lockClientRow,
  selectClients,
  updateClient,
} from "../../sql/oauth-clients.ts";
import { retryAfterDeadlock } from "../../users/retry-after-deadlock.ts";
import { CHANGE_BODY, CREATE_BODY, makeSecret, readMetadata, renderClient } from "./client-metadata.ts";

const PATH = "/admin/oauth/clients";

/** GET /admin/oauth/clients */
export async function listClients({ pool }: AuthContext, { query }: AuthCall): Promise<AuthResponse> {
  const { page, perPage } = parsePage(query);
  const rows = await selectClients(pool, { limit: perPage, offset: (page - 1) * perPage });
  const total = await countClients(pool);
  return {
    status: 200,
    body: { clients: rows.map(renderClient), aud: "authenticated" },
    headers: {
      "x-total-count": String(total),
      link: renderPageLinks({ path: PATH, page, perPage, total, further: {} }),
    },
  };
}

/** POST /admin/oauth/clients. The answer is the only one with the secret. */
export async function createClient(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(CREATE_BODY, call);
  const { token_endpoint_auth_method: method = "client_secret_basic" } = body;
  const { client_secret, secret_hash } = method === "none" ? NO_SECRET : makeSecret();
  const row = await insertClient(context.pool, {
    ...readMetadata(body, true),
    id: randomUUID(),
    registration: "manual",
    token_endpoint_auth_method: method,
    secret_hash,
  });
  note(context, call, "created", row);
  return { status: 201, body: { ...renderClient(row), client_secret } };
}

const NO_SECRET = { client_secret: undefined, secret_hash: null };

/** GET /admin/oauth/clients/:id */
export async function readClient({ pool }: AuthContext, call: AuthCall): Promise<AuthResponse> {
  return { status: 200, body: renderClient(requireClient(await findClientRow(pool, requireId(call)))) };
}

/** PUT /admin/oauth/clients/:id. A client that gets a method with a secret gets a secret, which only this answer has. */
export async function changeClient(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  const body = parseAuthBody(CHANGE_BODY, call);
  const changes = readMetadata(body, true);
  return change(context, call, "changed", async (client, row) => {
    if (row.registration === "document")
      throw authError("validation_failed", "The client is described by the document at its address", { status: 422 });
    const { token_endpoint_auth_method: method = row.token_endpoint_auth_method } = body;
    const isKept = (method === "none") === (row.secret_hash === null);
    const { client_secret, secret_hash } = isKept
      ? { ...NO_SECRET, secret_hash: undefined }
      : method === "none"
        ? NO_SECRET
        : makeSecret();
    const changed = await updateClient(client, row.id, { ...changes, token_endpoint_auth_method: method, secret_hash });
    return { ...renderClient(changed), client_secret };
  });
}

/** POST /admin/oauth/clients/:id/regenerate_secret. The secret before it ends at once. */
export async function regenerateClientSecret(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  return change(context, call, "secret_regenerated", async (client, row) => {
    if (row.secret_hash === null)
      throw authError("validation_failed", "A public client has no secret", { status: 422 });
    const { client_secret, secret_hash } = makeSecret();
    return { ...renderClient(await updateClient(client, row.id, { secret_hash })), client_secret };
  });
}

/** DELETE /admin/oauth/clients/:id: ends all access of the client at once. */
export async function removeClient(context: AuthContext, call: AuthCall): Promise<AuthResponse> {
  await change(context, call, "deleted", (client, { id }) => deleteClient(client, id, call.address));
  return { status: 204 };
}

async function change<T>(
  context: AuthContext,
  call: AuthCall,
  action: string,
  work: (client: Queryable, row: ClientRow) => Promise<T>,
): Promise<AuthResponse> {
  const id = requireId(call);
  const { row, body } = await retryAfterDeadlock(() =>
    inTransaction(context.pool, async (client) => {
      const row = requireClient(await lockClientRow(client, id));
      return { row, body: await work(client, row) };
    }),
  );
  note(context, call, action, row);
  return { status: 200, body };
}

/** Ids can be addresses, so any text may be asked for. */
function requireId({ params: { id = "" } }: AuthCall): string {
  if (findUnstorable(id) !== null) throw authError("oauth_client_not_found");
  return id;
}

function requireClient(row: ClientRow | null): ClientRow {
  if (row === null) throw authError("oauth_client_not_found");
  return row;
}

function note(
  { observer }: AuthContext,
  { address }: AuthCall,
  action: string,
  { id: clientId, name: clientName }: ClientRow,
): void {
  observer.note("oauth.client_changed", { action, clientId, clientName, address });
}
