import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Service, type ServiceSettings, startOwnService } from "./service.ts";

/** Another process on the database of a service that keeps its own, as behind a load balancer. */
export async function startSecondNode(first: Service, settings: ServiceSettings): Promise<Service> {
  const masterKey = (await readFile(join(first.dataDir, "master.key"), "utf8")).trim();
  return startOwnService({ ...settings, DATABASE_URL: first.credentials.database_url, MASTER_KEY: masterKey });
}
