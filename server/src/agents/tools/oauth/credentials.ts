import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import { unwrapSecret, wrapSecret } from "../../../crypto/index.ts";

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

/** A value that is moved to another row cannot be opened. */
export function seal(key: Buffer, id: string, value: Attempt | Credentials): Buffer {
  return wrapSecret(key, Buffer.from(JSON.stringify(value)), contextOf(id));
}

/** Throws an UnwrapError when the value was sealed with another key. */
export function unseal<T extends Attempt | Credentials>(key: Buffer, id: string, wrapped: string): T {
  return JSON.parse(unwrapSecret(key, Buffer.from(wrapped, "base64"), contextOf(id)).toString()) as T;
}

export function toCredentials(client: OAuthClient, tokens: OAuthTokens, nowMs: number): Credentials {
  const { expires_in: seconds } = tokens;
  return { client, tokens, expiresAtMs: seconds === undefined ? null : nowMs + seconds * 1_000 };
}

function contextOf(id: string): string {
  return `mcp-authorization:${id.toLowerCase()}`;
}
