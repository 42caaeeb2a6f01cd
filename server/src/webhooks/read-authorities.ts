import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SettingsError } from "../config/index.ts";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

interface AuthorityFiles {
  /** The local authority: receivers and tools on this machine may have its certificates. */
  readonly localFile: string | null;
  /** `WEBHOOK_CA_FILE`. */
  readonly ownFile: string | null;
}

/** The certificate authorities that are trusted in addition to those of the system, in PEM. */
export async function readAuthorities({ localFile, ownFile }: AuthorityFiles): Promise<string[]> {
  return [
    ...(localFile === null ? [] : [await readFile(localFile, "utf8")]),
    ...(ownFile === null ? [] : [await readOwnFile(ownFile)]),
  ];
}

/** Throws a SettingsError for a file without valid certificates, which Node.js would ignore. */
async function readOwnFile(path: string): Promise<string> {
  const pem = await readFile(path, "utf8").catch(() => {
    throw new SettingsError(["WEBHOOK_CA_FILE names a file that cannot be read"]);
  });
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate))
    throw new SettingsError(["WEBHOOK_CA_FILE names a file that has no valid certificates in PEM format"]);
  return pem;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem) instanceof X509Certificate;
  } catch {
    return false;
  }
}
