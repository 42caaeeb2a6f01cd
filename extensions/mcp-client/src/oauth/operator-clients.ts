import { readFileSync } from "node:fs";
import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import { isLoopbackUrl, SettingsError } from "swarmbase/extension";
import { z } from "zod";

/** A client that the operator has registered at an authorization server, for accounts that people connect. */
export interface OperatorClient {
  readonly issuer: string;
  readonly information: OAuthClientInformationMixed;
  /** Null means that the authorization server publishes it. */
  readonly metadata: AuthorizationServerMetadata | null;
  readonly scope: string | null;
}

export interface OperatorClients {
  /** The client for the servers of this origin. */
  find(origin: string): OperatorClient | null;
  get(clientId: string): OperatorClient | null;
}

const url = z.url().refine((text) => text.startsWith("https://") || isLoopbackUrl(text), "must begin with https://");
const origin = url.refine((text) => new URL(text).origin === text, "must be an origin such as https://api.example.com");
const text = z.string().regex(/^[\x20-\x7e]{1,2048}$/, "must be 1 to 2048 characters of printable ASCII");

const clientSchema = z.strictObject({
  origins: z.array(origin).min(1).max(50),
  issuer: url,
  client_id: text,
  client_secret: text.optional(),
  scope: text.optional(),
  /** Of an authorization server that does not publish its metadata. */
  endpoints: z.strictObject({ authorization: url, token: url, revocation: url.optional() }).optional(),
});
const fileSchema = z.strictObject({ clients: z.array(clientSchema).max(200) });

const NO_CLIENTS: OperatorClients = { find: () => null, get: () => null };

/** Throws a SettingsError that lists every fault. */
export function loadOperatorClients(path: string | null): OperatorClients {
  if (path === null) return NO_CLIENTS;
  const read = fileSchema.safeParse(readJson(path));
  if (!read.success)
    throw new SettingsError(
      read.error.issues.map(({ path: at, message }) => `MCP_OAUTH_CLIENTS_FILE: ${[...at, message].join(" ")}`),
    );
  const byOrigin = new Map<string, OperatorClient>();
  const byId = new Map<string, OperatorClient>();
  for (const entry of read.data.clients) {
    const client = toClient(entry);
    if (byId.has(entry.client_id)) throw repeated(`client_id ${entry.client_id}`);
    byId.set(entry.client_id, client);
    for (const own of entry.origins) {
      if (byOrigin.has(own)) throw repeated(`origin ${own}`);
      byOrigin.set(own, client);
    }
  }
  return { find: (given) => byOrigin.get(given) ?? null, get: (clientId) => byId.get(clientId) ?? null };
}

function toClient({
  issuer,
  client_id,
  client_secret,
  scope: wantedScope,
  endpoints,
}: z.infer<typeof clientSchema>): OperatorClient {
  const scope = wantedScope ?? null;
  const information = { client_id, ...(client_secret !== undefined && { client_secret }) };
  if (endpoints === undefined) return { issuer, information, metadata: null, scope };
  const { authorization, token, revocation } = endpoints;
  const metadata: AuthorizationServerMetadata = {
    issuer,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(revocation !== undefined && { revocation_endpoint: revocation }),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
  };
  return { issuer, information, metadata, scope };
}

function repeated(what: string): SettingsError {
  return new SettingsError([`MCP_OAUTH_CLIENTS_FILE: several clients have the ${what}`]);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is no JSON" : "cannot be read";
    throw new SettingsError([`MCP_OAUTH_CLIENTS_FILE names a file that ${reason}`]);
  }
}
