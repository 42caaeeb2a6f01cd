import { createHmac, type KeyObject, sign } from "node:crypto";

export type Claims = Readonly<Record<string, unknown>>;

export interface Forged {
  header: Claims;
  claims: Claims;
  /** Takes the signed part and returns the signature. */
  signWith(signed: string): Buffer;
}

/** Builds a token that may be invalid. */
export function forgeToken({ header, claims, signWith }: Forged): string {
  const signed = `${encode({ typ: "JWT", ...header })}.${encode(claims)}`;
  return `${signed}.${signWith(signed).toString("base64url")}`;
}

export function signWithSecret(secret: string): Forged["signWith"] {
  return (signed) => createHmac("sha256", secret).update(signed).digest();
}

export function signWithCurve(key: KeyObject): Forged["signWith"] {
  return (signed) => sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
}

/** Decodes a token without verifying it. */
export function readToken(token: string): { header: Claims; claims: Claims } {
  const [header = "", claims = ""] = token.split(".");
  return { header: decode(header), claims: decode(claims) };
}

function encode(value: Claims): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): Claims {
  return JSON.parse(Buffer.from(part, "base64url").toString()) as Claims;
}
