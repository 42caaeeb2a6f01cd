import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOf, type Service, type ServiceSettings, startOwnService } from "./service.ts";

/**
 * Another process on the database of a service that keeps its own, as behind a load balancer. It leaves webhooks and runs to the
 * first, whose local authority it does not know.
 */
export async function startSecondNode(first: Service, settings: ServiceSettings): Promise<Service> {
  const masterKey = (await readFile(join(folderOf(first), "master.key"), "utf8")).trim();
  const { database_url: url } = first.credentials;
  if (url === null) throw new Error("The database of the first node is not known.");
  return startOwnService({ ROLES: "api,realtime", ...settings, DATABASE_URL: url, MASTER_KEY: masterKey });
}
