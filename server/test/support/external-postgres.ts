import type { EmbeddedServer } from "../../src/db/embedded/start-embedded.ts";
import { withClient } from "../../src/db/index.ts";
import { TEMPLATE } from "./cluster.ts";

/** A server that was started elsewhere, of any supported version, as its superuser. What an earlier run has left in it is removed. */
export async function openExternal(adminUrl: string): Promise<Pick<EmbeddedServer, "adminUrl" | "stop">> {
  await withClient(adminUrl, (admin) => admin.query(`drop database if exists ${TEMPLATE} with (force)`));
  return { adminUrl, stop: async () => {} };
}
