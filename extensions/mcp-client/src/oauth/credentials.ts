import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import type { McpContext } from "../settings.ts";

/** The service as a client of an authorization server. */
export interface OAuthClient {
  readonly issuerUrl: string;
  readonly metadata: AuthorizationServerMetadata | null;
  readonly information: OAuthClientInformationMixed;
  /** Under which the client is registered. */
  readonly redirectUrl: string;
  /** The server that tokens are for; null when it does not name itself. */
  readonly resource: string | null;
}

/** What an attempt needs when its owner returns. */
export interface Attempt {
  readonly client: OAuthClient;
  readonly codeVerifier: string;
}

export interface Credentials {
  readonly client: OAuthClient;
  readonly tokens: OAuthTokens;
  /** Null: the server has not said. */
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

function labelOf(id: string): string {
  return `mcp-authorization:${id.toLowerCase()}`;
}
