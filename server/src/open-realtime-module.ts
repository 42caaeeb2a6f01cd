import { randomUUID } from "node:crypto";
import { type AuthContext, authenticateSocket, translateScopeError } from "./auth/index.ts";
import { derivePassword } from "./crypto/index.ts";
import { REPLICA_ROLE, withRole } from "./db/index.ts";
import type { OpenedExtensions } from "./extensions/index.ts";
import { clientKeyOf } from "./http/index.ts";
import type { OpenNodeContext } from "./node-context.ts";
import {
  type Changes,
  createFollowedTopics,
  createPrivateTopics,
  openChanges,
  openRealtime,
  type RealtimeModule,
} from "./realtime/index.ts";

interface RealtimeOptions extends OpenNodeContext {
  readonly masterKey: string;
}

/** The realtime module with the changes of the database that it sends. */
export function openRealtimeModule(
  { settings, database, server, masterKey, observer, clock }: RealtimeOptions,
  auth: AuthContext,
  { helpLinks }: OpenedExtensions,
): { readonly changes: Changes; readonly module: RealtimeModule } {
  const directUrl = withRole(server.directUrl, REPLICA_ROLE, derivePassword(masterKey, REPLICA_ROLE));
  const { dbSchemas, dbExtraSearchPath, realtimePayloadLimitBytes: maxRecordBytes } = settings;
  const schemas = [...new Set([...dbSchemas, ...dbExtraSearchPath])];
  const changes = openChanges({ directUrl, database, observer, clock, settings: { schemas, maxRecordBytes } });
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
    addressOf: (request) => clientKeyOf(request, settings),
    helpLinks,
    settings,
    observer,
    clock,
    newId: randomUUID,
  });
  return { changes, module };
}
