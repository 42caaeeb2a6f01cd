import { createHmac } from "node:crypto";
import { buildClaims } from "./contenders/swarmbase.ts";
import type { Population } from "./population.ts";

/** Tokens with the same claims for contenders with a shared secret, by the number of the user. */
export function signSecretTokens(secret: string, { users }: Population): readonly string[] {
  return Array.from({ length: users + 1 }, (_, user) => signSecretToken(secret, buildClaims(user)));
}

export function signSecretToken(secret: string, claims: object): string {
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
