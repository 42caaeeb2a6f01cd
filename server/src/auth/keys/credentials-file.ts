import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { replaceFile } from "../../crypto/index.ts";

const CREDENTIALS = z.object({
  url: z.string(),
  anon_key: z.string(),
  service_role_key: z.string(),
  /** Absolute path; null when the operator provides the certificate. */
  ca_cert_file: z.string().nullable(),
  /** Connects as the role that owns the schema. */
  database_url: z.string(),
});

/** What the operator, and programs on the operator's machine, need to call the service. */
export type CredentialsFile = Readonly<z.output<typeof CREDENTIALS>>;

export function credentialsPath(dataDir: string): string {
  return join(dataDir, "credentials.json");
}

export async function writeCredentials(dataDir: string, credentials: CredentialsFile): Promise<void> {
  await replaceFile(credentialsPath(dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
}

/** Returns null when the service never ran with this directory or the file is not valid. */
export async function findCredentials(dataDir: string): Promise<CredentialsFile | null> {
  try {
    return CREDENTIALS.parse(JSON.parse(await readFile(credentialsPath(dataDir), "utf8")));
  } catch {
    return null;
  }
}
