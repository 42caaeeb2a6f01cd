import { createHash, createHmac, randomBytes } from "node:crypto";
import { deriveKey } from "../../crypto/index.ts";
import type { AuthCall } from "../call.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";

export const FLOW_LIFE_MS = 600_000;

const SECRET = /^[A-Za-z0-9_-]{43}$/;

export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** The nonce and the verifier of PKCE follow from the state, with a key that only the service has, so nobody has to store them. */
export function deriveFrom(masterKey: string, purpose: "nonce" | "verifier", state: string): string {
  return createHmac("sha256", deriveKey(masterKey, "sign-in-flows")).update(`${purpose}:${state}`).digest("base64url");
}

/** A provider that posts its answer does so from another site. Such a cookie has a name of its own, so that neither replaces the other. */
function cookieOf({ preset }: SignInProvider): { readonly name: string; readonly sameSite: "None" | "Lax" } {
  const isPosted = preset.authorizationParams["response_mode"] === "form_post";
  return isPosted ? { name: "__Host-sign-in-posted", sameSite: "None" } : { name: "__Host-sign-in", sameSite: "Lax" };
}

/** All tabs of a browser share the cookie; each has its own state. */
export function keepBrowserSecret(
  provider: SignInProvider,
  call: Pick<AuthCall, "headers">,
): { readonly secret: string; readonly header: string } {
  const { name, sameSite } = cookieOf(provider);
  const secret = readCookie(call, name) ?? newSecret();
  const age = FLOW_LIFE_MS / 1000;
  return { secret, header: `${name}=${secret}; Path=/; Max-Age=${age}; Secure; HttpOnly; SameSite=${sameSite}` };
}

/** Empty when the browser has none. */
export function readBrowserSecret({ headers }: Pick<AuthCall, "headers">, isPosted: boolean): string {
  return readCookie({ headers }, isPosted ? "__Host-sign-in-posted" : "__Host-sign-in") ?? "";
}

function readCookie({ headers }: Pick<AuthCall, "headers">, name: string): string | null {
  const pairs = (headers["cookie"] ?? "").split(";").map((pair) => pair.trim().split("="));
  const value = pairs.find(([found]) => found === name)?.[1] ?? "";
  return SECRET.test(value) ? value : null;
}
