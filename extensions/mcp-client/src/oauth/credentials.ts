import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import type { McpContext } from "../settings.ts";
import type { OperatorClients } from "./operator-clients.ts";

/** The service as a client of an authorization server. */
export interface OAuthClient {
  readonly issuerUrl: string;
  readonly metadata: AuthorizationServerMetadata | null;
  readonly information: OAuthClientInformationMixed;
  /** Under which the client is registered. */
  readonly redirectUrl: string;
  /** The server that tokens are for; null when it does not name itself. */
  readonly resource: string | null;
  /** A client of the operator, whose secret stays in the operator's file. */
  readonly isOfOperator: boolean;
}

/** What an attempt needs when its person returns. */
export interface Attempt {
  readonly client: OAuthClient;
  readonly codeVerifier: string;
  /** Where the person signs in. */
  readonly url: string;
  /** The call that waits for it. */
  readonly executionId: string | null;
}

export interface Credentials {
  readonly client: OAuthClient;
  readonly tokens: OAuthTokens;
  /** Null means that the server has not said. */
  readonly expiresAtMs: number | null;
}

export type Sealer = Pick<McpContext, "seal" | "unseal">;

/** A value that is moved to another row cannot be opened. */
export function sealFor({ seal }: Sealer, id: string, value: Attempt | Credentials): Buffer {
  return seal(labelOf(id), JSON.stringify(value));
}

/** Throws when the value was sealed with another key. */
export function unsealOf<T extends Attempt | Credentials>({ unseal }: Sealer, id: string, wrapped: string): T {
  return JSON.parse(unseal(labelOf(id), Buffer.from(wrapped, "base64"))) as T;
}

export function toCredentials(client: OAuthClient, tokens: OAuthTokens, nowMs: number): Credentials {
  const { expires_in: seconds } = tokens;
  return { client, tokens, expiresAtMs: seconds === undefined ? null : nowMs + seconds * 1_000 };
}

/** Returns null when the operator has removed the client. */
export function informationOf(clients: OperatorClients, client: OAuthClient): OAuthClientInformationMixed | null {
  if (!client.isOfOperator) return client.information;
  const known = clients.get(client.information.client_id);
  // The secret goes to the issuer that the operator names now.
  return known?.issuer === client.issuerUrl ? known.information : null;
}

function labelOf(id: string): string {
  return `tool-authorization:${id.toLowerCase()}`;
}
