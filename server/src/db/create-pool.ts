import { FairPool, type FairPoolConfig } from "@swarmbase/postgres";
import { DatabaseClient } from "./hosts/database-client.ts";
import { SERVICE_ROLE_KEY } from "./scope.ts";
import { translateUnavailable } from "./unavailable.ts";

/** A pool with connections and errors of the service. */
export function createPool(config: FairPoolConfig): FairPool {
  return new FairPool({
    Client: DatabaseClient,
    largeKey: SERVICE_ROLE_KEY,
    translateError: translateUnavailable,
    // After a failover the same address, or another one of the list, may lead to the new primary.
    onReadOnly: (client) => {
      if (client instanceof DatabaseClient) client.doubtServer();
    },
    ...config,
  });
}
