import { isDeepStrictEqual } from "node:util";
import { isRecord, type JsonRecord } from "../../json/index.ts";
import { findUnstorable } from "../find-unstorable.ts";
import { type Hook, HookFault, tooLarge } from "../hooks/hook.ts";

/** What the service itself goes by. The last ones are those of its own tokens and keys, which a hook cannot add. */
const PROTECTED =
  "iss sub aud exp iat nbf role aal amr session_id is_anonymous refresh_counter api_key_id scopes resources".split(" ");

/** Fits into the largest token that is accepted. */
const MAX_CLAIMS_BYTES = 70_000;

export interface AskedClaims {
  readonly claims: JsonRecord;
  /** How the user signed in, or `token_refresh`. */
  readonly method: string;
  readonly address?: string | undefined;
}

/** The claims as the hook wants them. Row-level rules see them; the service believes none that a hook could change. */
export async function customizeClaims(
  hook: Hook,
  { claims: { refresh_counter: counter, ...shown }, method, address }: AskedClaims,
): Promise<JsonRecord> {
  const event = { user_id: shown["sub"], claims: shown, authentication_method: method };
  const changed = await hook.ask({ event, address, read: (answer) => readClaims(answer["claims"], shown) });
  return { ...(changed ?? shown), ...(counter !== undefined && { refresh_counter: counter }) };
}

function readClaims(claims: unknown, given: JsonRecord): JsonRecord {
  if (!isRecord(claims)) throw new HookFault("no claims");
  // The example of Supabase for small tokens leaves `amr` out.
  const isKept = (name: string): boolean =>
    isDeepStrictEqual(claims[name], given[name]) || (name === "amr" && claims[name] === undefined);
  const changed = PROTECTED.find((name) => !isKept(name));
  if (changed !== undefined) throw new HookFault(`changed claim ${changed}`);
  if (Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_BYTES) throw tooLarge();
  if (findUnstorable(claims) !== null) throw new HookFault("claims cannot be stored");
  return claims;
}
