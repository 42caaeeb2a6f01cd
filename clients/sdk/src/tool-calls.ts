import type { ApiKeyScope } from "./api-keys.ts";

/** The header with the token of a call of an HTTP tool whose `config` has `"identity": "required"`. */
export const TOOL_IDENTITY_HEADER = "X-Service-Identity";
/** Where the service publishes the keys of these tokens, as a JSON Web Key Set. */
export const TOOL_CALL_KEYS_PATH = "/.well-known/tool-calls.json";
/** `typ` in the header of these tokens. */
export const TOOL_CALL_TOKEN_TYPE = "tool-call+jwt";
/** `alg` in the header of these tokens: Ed25519. */
export const TOOL_CALL_ALGORITHM = "EdDSA";
export const TOOL_CALL_TOKEN_SECONDS = 60;

/** What the service says about a call of an HTTP tool: for whom it is made, by whom, and which request it is. */
export interface ToolCallClaims {
  /** The URL of the service. */
  readonly iss: string;
  /** The URL of the request, with its query. */
  readonly aud: string;
  /** The method of the request. */
  readonly htm: string;
  /** The SHA-256 of the bytes of the body, in base64url; without a body, of no bytes. */
  readonly body_sha256: string;
  readonly tool: { readonly id: string; readonly name: string };
  /** The user who started the run, or who tests the tool: the call is made for them. */
  readonly sub: string;
  /** The agent that makes the call. Absent in a test of the tool, like `run_id`. */
  readonly act?: { readonly sub: string };
  readonly run_id?: string;
  /** The row of `tool_executions`, the same in every attempt; in a test of the tool a new id. */
  readonly tool_call_id: string;
  /** Only if an API key of the user has started the run. */
  readonly api_key_id?: string;
  /** The scopes of the API key. */
  readonly scopes?: readonly ApiKeyScope[];
  /** Another one in every attempt. */
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
}
