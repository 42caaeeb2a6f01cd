import { COUNT, describe, listOf, record, TEXT, TIME } from "../schemas/schema-parts.ts";
import { AT, ID } from "./example-values.ts";
import { inPath, inQuery, type OperationText, type OperationTexts } from "./operation-text.ts";

const METADATA = {
  client_name: "App",
  redirect_uris: ["https://app.example.com/callback"],
  token_endpoint_auth_method: "client_secret_basic",
};
const EXAMPLE = {
  client_id: ID.oauthClient,
  ...METADATA,
  client_type: "confidential",
  registration_type: "manual",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  created_at: AT,
  updated_at: AT,
};
const SECRET = describe(TEXT, "shown once");
const MEMBERS = {
  client_id: TEXT,
  client_name: TEXT,
  client_type: { enum: ["public", "confidential"] },
  token_endpoint_auth_method: { enum: ["none", "client_secret_basic", "client_secret_post"] },
  registration_type: { enum: ["manual", "dynamic", "document"] },
  redirect_uris: listOf(TEXT),
  grant_types: listOf(TEXT),
  response_types: listOf(TEXT),
  created_at: TIME,
  updated_at: TIME,
};
const OPTIONAL = {
  client_uri: TEXT,
  logo_uri: TEXT,
  scope: describe(TEXT, "absent: all that the registration permits"),
};
const CLIENT = record(MEMBERS, OPTIONAL);
const WITH_SECRET = record(MEMBERS, { ...OPTIONAL, client_secret: SECRET });
const IN_PATH = inPath("id", "the client: a UUID, or the encoded address of its document", TEXT);
const FIELDS = {
  redirect_uris: "https, http on the device of the person with any port, or a scheme such as `com.example.app`",
  scope: "separated by spaces; without it the client may ask for all scopes that its registration permits",
  grant_types: "`authorization_code`, `refresh_token`; default: both",
  response_types: "`code`",
  client_uri: "https; an empty text removes it",
  logo_uri: "https; an empty text removes it",
} as const;

const changed = (description: string, status = 200): OperationText["answers"] => ({
  [status]: { description, schema: WITH_SECRET, example: EXAMPLE },
});

/** The clients of the authorization server. */
export const OAUTH_CLIENT_OPERATIONS: OperationTexts = {
  "GET /auth/v1/admin/oauth/clients": {
    id: "listOauthClients",
    summary: "List the clients of the authorization server",
    parameters: [
      inQuery("page", "counted from 1", { type: "integer", minimum: 1, default: 1 }),
      inQuery("per_page", "at most 1000", { type: "integer", minimum: 1, maximum: 1000, default: 50 }),
    ],
    answers: {
      200: {
        description: "The page, the newest first",
        schema: record({ clients: listOf(CLIENT), aud: TEXT }),
        example: { clients: [EXAMPLE], aud: "authenticated" },
        headers: { "X-Total-Count": "the number of clients", Link: "the next and the last page" },
      },
    },
    errors: ["validation_failed"],
    javascript: "const { data } = await admin.auth.admin.oauth.listClients({ page: 1, perPage: 50 });",
  },
  "POST /auth/v1/admin/oauth/clients": {
    id: "createOauthClient",
    summary: "Create a client of the authorization server",
    description: "A client with another method than `none` gets a secret, which only this answer has.",
    body: { fields: FIELDS, examples: { "an app": METADATA } },
    answers: changed("The client and its secret", 201),
    errors: ["validation_failed"],
    javascript: `const { data } = await admin.auth.admin.oauth.createClient(${JSON.stringify(METADATA)});`,
  },
  "GET /auth/v1/admin/oauth/clients/{id}": {
    id: "getOauthClient",
    summary: "Get a client of the authorization server",
    parameters: [IN_PATH],
    answers: { 200: { description: "The client", schema: CLIENT, example: EXAMPLE } },
    errors: ["oauth_client_not_found"],
    javascript: "const { data } = await admin.auth.admin.oauth.getClient(clientId);",
  },
  "PUT /auth/v1/admin/oauth/clients/{id}": {
    id: "updateOauthClient",
    summary: "Change a client of the authorization server",
    description:
      "People are asked again after a change of the name or of the redirect URIs. A client that gets a method with a secret gets a secret. Clients that a document describes cannot be changed.",
    parameters: [IN_PATH],
    body: { fields: FIELDS, examples: { "a name": { client_name: "App" } } },
    answers: changed("The client as it is now"),
    errors: ["validation_failed", ["validation_failed", 422], "oauth_client_not_found"],
    javascript: `await admin.auth.admin.oauth.updateClient(clientId, { client_name: "App" });`,
  },
  "DELETE /auth/v1/admin/oauth/clients/{id}": {
    id: "deleteOauthClient",
    summary: "Delete a client of the authorization server",
    description: "Ends all its sessions at once. A client that a document describes can come back.",
    parameters: [IN_PATH],
    answers: { 204: { description: "Deleted" } },
    errors: ["oauth_client_not_found"],
    javascript: "await admin.auth.admin.oauth.deleteClient(clientId);",
  },
  "POST /auth/v1/admin/oauth/clients/{id}/regenerate_secret": {
    id: "regenerateOauthClientSecret",
    summary: "Replace the secret of a client",
    description: "The secret before it ends at once.",
    parameters: [IN_PATH],
    answers: changed("The client and its new secret"),
    errors: [["validation_failed", 422], "oauth_client_not_found"],
    javascript: "const { data } = await admin.auth.admin.oauth.regenerateClientSecret(clientId);",
  },
  "POST /auth/v1/oauth/register": {
    id: "registerOauthClient",
    summary: "Register a client of the authorization server",
    description:
      "RFC 7591, where `OAUTH_DYNAMIC_REGISTRATION_ENABLED` allows it. Unknown scopes and grant types are dropped. Errors also have `error` and `error_description`.",
    body: { fields: FIELDS, examples: { "an app": METADATA } },
    answers: {
      201: {
        description: "The client and its secret",
        schema: record(
          { ...MEMBERS, scope: TEXT, client_id_issued_at: COUNT },
          { client_uri: TEXT, logo_uri: TEXT, client_secret: SECRET, client_secret_expires_at: COUNT },
        ),
        example: { ...EXAMPLE, registration_type: "dynamic", scope: "read run", client_id_issued_at: 1794744000 },
      },
      400: {
        description: "`invalid_redirect_uri` or `invalid_client_metadata`",
        schema: {
          ...record({ error: TEXT, error_description: TEXT, error_code: TEXT, msg: TEXT, code: TEXT, message: TEXT }),
          additionalProperties: true,
        },
      },
    },
    errors: ["feature_disabled", "over_request_rate_limit"],
  },
};
