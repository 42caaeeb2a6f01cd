import { hkdfSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Service, type ServiceSettings, startOwnService } from "./service.ts";

/** Another process on the database of a service that keeps its own, as behind a load balancer. */
export async function startSecondNode(first: Service, settings: ServiceSettings): Promise<Service> {
  const masterKey = (await readFile(join(first.dataDir, "master.key"), "utf8")).trim();
  const url = new URL(first.credentials.database_url);
  // The account that a node migrates with. An operator with a database of their own has its password at hand.
  url.username = "postgres";
  url.password = derivePassword(masterKey, "postgres");
  return startOwnService({ ...settings, DATABASE_URL: url.href, MASTER_KEY: masterKey });
}

function derivePassword(masterKey: string, role: string): string {
  const key = hkdfSync("sha256", masterKey, "swarmbase/v1", `database-password:${role}`, 32);
  return Buffer.from(key).toString("base64url");
}
