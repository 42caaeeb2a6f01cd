import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../crypto/index.ts";

/**
 * The content of credentials.json: what the operator, and programs on the operator's machine, need to call the
 * service.
 */
export interface CredentialsFile {
  readonly url: string;
  readonly anon_key: string;
  readonly service_role_key: string;
  /** Absolute path; null when the operator provides the certificate. */
  readonly ca_cert_file: string | null;
  /** Connects as the role that owns the schema. */
  readonly database_url: string;
}

export function credentialsPath(dataDir: string): string {
  return join(dataDir, "credentials.json");
}

export async function writeCredentials(dataDir: string, credentials: CredentialsFile): Promise<void> {
  await replaceFile(credentialsPath(dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** Returns null when the service never ran with this directory or the file is not valid. */
export async function findCredentials(dataDir: string): Promise<CredentialsFile | null> {
  try {
    const parsed: unknown = JSON.parse(await readFile(credentialsPath(dataDir), "utf8"));
    return isCredentials(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function isCredentials(value: unknown): value is CredentialsFile {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<string, unknown>;
  const isText = (name: string) => typeof record[name] === "string";
  return (
    ["url", "anon_key", "service_role_key", "database_url"].every(isText) &&
    (record["ca_cert_file"] === null || isText("ca_cert_file"))
  );
}
