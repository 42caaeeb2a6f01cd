import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../crypto/index.ts";
import { type Credential, makeAuthority, makeLeaf } from "./certificate.ts";
import { TlsError } from "./tls-error.ts";
import type { TlsMaterial } from "./tls-material.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_DAYS = 3650;
// Browsers refuse certificates that are valid for longer than 398 days.
const LEAF_DAYS = 397;
const RENEW_BEFORE_DAYS = 30;

/**
 * The leaf is one file with key and certificate, the authority two: clients need its certificate alone. Each file is replaced
 * as a whole, the authority's key before its certificate. So a kill at any instruction leaves either a pair that fits or one that does
 * not, and what does not fit is made again.
 */
export async function loadLocalMaterial(folder: string, now: Date): Promise<TlsMaterial> {
  const files = {
    authorityCert: join(folder, "ca-cert.pem"),
    authorityKey: join(folder, "ca-key.pem"),
    leaf: join(folder, "localhost.pem"),
  };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);

    const authorityCert = await readIfPresent(files.authorityCert);
    const leaf = splitLeaf(await readIfPresent(files.leaf));
    if (isServable(leaf, authorityCert, now)) return { ...leaf, caFile: files.authorityCert };

    let authority: Credential = { cert: authorityCert, key: await readIfPresent(files.authorityKey) };
    if (!isAbleToSign(authority, now)) {
      authority = makeAuthority(validFor(AUTHORITY_DAYS, now));
      await replaceFile(files.authorityKey, authority.key, 0o600);
      await replaceFile(files.authorityCert, authority.cert, 0o644);
    }
    const renewed = makeLeaf(authority, validFor(LEAF_DAYS, now));
    await replaceFile(files.leaf, renewed.key + renewed.cert, 0o600);
    return { ...renewed, caFile: files.authorityCert };
  } catch (error) {
    throw new TlsError(`Cannot keep the local certificate in ${folder}: ${messageOf(error)}`, error);
  }
}

function validFor(days: number, now: Date): { notBefore: Date; notAfter: Date } {
  // An hour back, for clients whose clock is a little behind.
  return { notBefore: new Date(now.getTime() - HOUR_MS), notAfter: new Date(now.getTime() + days * DAY_MS - HOUR_MS) };
}

function isServable(leaf: Credential, authorityCert: string, now: Date): boolean {
  return isSound(() => {
    const certificate = new X509Certificate(leaf.cert);
    const issuer = new X509Certificate(authorityCert);
    return (
      certificate.checkPrivateKey(createPrivateKey(leaf.key)) &&
      certificate.checkIssued(issuer) &&
      certificate.verify(issuer.publicKey) &&
      isValidFor(certificate, RENEW_BEFORE_DAYS, now) &&
      isValidFor(issuer, RENEW_BEFORE_DAYS, now)
    );
  });
}

function isAbleToSign(authority: Credential, now: Date): boolean {
  return isSound(() => {
    const certificate = new X509Certificate(authority.cert);
    return (
      certificate.ca &&
      certificate.checkPrivateKey(createPrivateKey(authority.key)) &&
      isValidFor(certificate, LEAF_DAYS, now)
    );
  });
}

function isValidFor(certificate: X509Certificate, days: number, now: Date): boolean {
  return certificate.validFromDate <= now && certificate.validToDate.getTime() >= now.getTime() + days * DAY_MS;
}

/** Damaged files make the parsers throw, which means no more than that the files have to be made again. */
function isSound(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function splitLeaf(text: string): Credential {
  const start = Math.max(0, text.indexOf("-----BEGIN CERTIFICATE-----"));
  return { key: text.slice(0, start), cert: text.slice(start) };
}

async function readIfPresent(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
