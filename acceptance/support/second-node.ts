import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOf, type Service, type ServiceSettings, startOwnService } from "./service.ts";

/**
 * Another process on the database of a service, as behind a load balancer. It does not process webhooks and runs,
 * because it does not know the local authority of the first node.
 */
export async function startSecondNode(first: Service, settings: ServiceSettings): Promise<Service> {
  const masterKey = (await readFile(join(folderOf(first), "master.key"), "utf8")).trim();
  const { database_url: url } = first.credentials;
  if (url === null) throw new Error("The database of the first node is not known.");
  return startOwnService({ ROLES: "api,realtime", ...settings, DATABASE_URL: url, MASTER_KEY: masterKey });
}
