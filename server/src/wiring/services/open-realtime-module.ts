import { randomUUID } from "node:crypto";
import { type AuthContext, authenticateSocket, translateScopeError } from "../../auth/index.ts";
import { derivePassword } from "../../crypto/index.ts";
import { type DatabaseServer, REPLICA_ROLE, withRole } from "../../db/index.ts";
import type { OpenedExtensions } from "../../extensions/index.ts";
import { clientKeyOf } from "../../http/index.ts";
import type { OpenNodeContext } from "../node-context.ts";
import {
  type Changes,
  createFollowedTopics,
  createPrivateTopics,
  openChanges,
  openReplication,
  openRealtime,
  type RealtimeModule,
} from "../../realtime/index.ts";

export interface OpenedRealtime {
  readonly changes: Changes;
  readonly module: RealtimeModule;
}

/** The realtime module with the changes of the database that it sends. */
export function openRealtimeModule(
  { settings, database, server, masterKey, observer, clock, primary }: OpenNodeContext,
  auth: AuthContext,
  { helpLinks }: OpenedExtensions,
): OpenedRealtime {
  const openStream = primary?.openStream ?? openReplication(replicaUrlOf(server, masterKey), database.commits);
  const { dbSchemas, dbExtraSearchPath, realtimePayloadLimitBytes: maxRecordBytes } = settings;
  const schemas = [...new Set([...dbSchemas, ...dbExtraSearchPath])];
  const changes = openChanges({ openStream, database, observer, clock, settings: { schemas, maxRecordBytes } });
  const module = openRealtime({
    changes,
    authenticate: async (token, apikey) => {
      const { principal, expiresAt } = await authenticateSocket(auth, { apikey, token });
      return { principal, expiresAt };
    },
    privateTopics: createPrivateTopics({
      database,
      settings: { ...settings, dbSchemas: schemas },
      newId: randomUUID,
      translateEnter: translateScopeError,
    }),
    followedTopics: createFollowedTopics(database.service),
    node: primary?.node,
    socketCounts: primary?.socketCounts,
    addressOf: (request) => clientKeyOf(request, settings),
    helpLinks,
    settings,
    observer,
    clock,
    newId: randomUUID,
  });
  return { changes, module };
}

/** For reading the WAL, without a pooler. */
export function replicaUrlOf({ directUrl }: Pick<DatabaseServer, "directUrl">, masterKey: string): string {
  return withRole(directUrl, REPLICA_ROLE, derivePassword(masterKey, REPLICA_ROLE));
}
