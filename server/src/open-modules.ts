import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createToolChecks, type Providers, type Respond } from "./agents/index.ts";
import {
  type AuthContext,
  authenticateSocket,
  authEndpoints,
  createAuthHousekeeping,
  createMailOutbox,
  openAuth,
  regenerateSigningSecret,
  removeSigningSecret,
  translateScopeError,
} from "./auth/index.ts";
import type { Closers } from "./closers.ts";
import type { Environment, Settings } from "./config/index.ts";
import type { CopyHold } from "./copy-hold.ts";
import { deriveKey, derivePassword } from "./crypto/index.ts";
import {
  type Database,
  type DatabaseServer,
  measureStorage,
  newRowId,
  REPLICA_ROLE,
  watchDatabase,
  watchStorage,
  withRole,
} from "./db/index.ts";
import {
  createAgentRespond,
  createBatch,
  createRequestSigning,
  createTestWebhook,
  createTools,
  createWebhookDispatcher,
  createWebhooks,
  FUNCTION_TABLE,
} from "./functions/index.ts";
import {
  authRoutes,
  clientKeyOf,
  functionRoutes,
  healthRoutes,
  type Obstacle,
  type Route,
  realtimeRoutes,
  referenceRoutes,
  restRoutes,
} from "./http/index.ts";
import type { Worker } from "./jobs/index.ts";
import { connectStore, type Limits, openLimits, type SharedStore } from "./limits/index.ts";
import type { Observer } from "./observe/index.ts";
import { openAgentRoom } from "./open-agent-module.ts";
import { openWebhookRoom } from "./open-webhook-module.ts";
import { type AddressPolicy, checkTargetUrl, createAddressPolicy } from "./outbound/index.ts";
import { type Changes, createPrivateTopics, openChanges, openRealtime, type RealtimeModule } from "./realtime/index.ts";
import { openReference } from "./reference/index.ts";
import { openRest } from "./rest/index.ts";
import type { Watched } from "./serve-metrics.ts";
import { createTableRules, isOwnName } from "./tables/index.ts";
import type { Clock } from "./time/index.ts";
import { decideAllowedCidrs, type WebhookModule } from "./webhooks/index.ts";

export interface ModulesOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly providers: Providers;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly version: string;
  readonly masterKey: string;
  readonly server: DatabaseServer;
  readonly database: Database;
  readonly copyHold: CopyHold;
  /** The local authority, whose certificates webhook receivers on this machine may have. */
  readonly caFile: string | null;
  /** Known once the service listens. */
  baseUrl(): string;
  /** Why this node should get no requests now; null when it should. */
  findObstacle(): Promise<Obstacle | null>;
  readonly closers: Closers;
}

export interface Rooms {
  readonly auth: AuthContext;
  readonly respond: Respond;
  readonly realtime: RealtimeModule;
  readonly limits: Limits;
  readonly routes: readonly Route[];
  readonly workers: readonly Worker[];
  readonly watched: Watched;
}

const TOOL_KEY_PURPOSE = "tool-secrets";

/** What the service consists of, each room with what it needs of the others. */
export async function openModules(options: ModulesOptions): Promise<Rooms> {
  const { settings, database, server, masterKey, observer, clock, version, baseUrl, closers, copyHold } = options;
  const roles = new Set(settings.roles);
  const listenUrl = withRole(server.directUrl, "sb_service", derivePassword(masterKey, "sb_service"));
  const requireReleased = (): void => copyHold.requireReleased();
  const auth = await openAuth({
    settings,
    pool: database.service,
    masterKey,
    observer,
    clock,
    baseUrl,
    requireMail: requireReleased,
  });
  closers.add("mailer", () => auth.mailer.close());
  const outbox = createMailOutbox(auth, { random: Math.random });

  const policy = createAddressPolicy({ allowedCidrs: decideAllowedCidrs(settings) });
  const ca = await readAuthorities(options);
  const webhooks = openWebhookRoom(options, { policy, listenUrl, ca });
  const limits = openLimits({
    settings,
    store: await connectLimitStore(options),
    countWebhookSend: (userId) => webhooks.countSend(userId),
    clock,
    observer,
  });
  const toolKey = deriveKey(masterKey, TOOL_KEY_PURPOSE);
  const onEvents = (): void => webhooks.wake();
  const agents = openAgentRoom({ ...options, listenUrl, policy, ca, toolKey, limits, onEvents });
  const rest = await openRest({
    database,
    listenUrl,
    rules: createTableRules({
      pool: database.service,
      findUrlFault: (url) => findUrlFault(url, policy),
      tools: createToolChecks({
        key: toolKey,
        newId: () => newRowId(clock.now()),
        findUrlFault: (url) => findUrlFault(url, policy),
      }),
    }),
    isOwn: isOwnName,
    settings,
    translateEnter: translateScopeError,
    onWrite: (paths) => {
      webhooks.wake();
      // A swarm may answer what was only stored.
      if (paths.includes("/messages")) agents.executor.wake();
      if (paths.includes("/swarm_members")) outbox.wake();
    },
    baseUrl,
    version,
    observer,
  });

  const realtime = openRealtimeRoom(options, auth);
  const { clusterDir } = server;
  const measure = clusterDir === null ? null : () => measureStorage(clusterDir);
  const holdWork = ({ workers, links }: Pick<WebhookModule, "workers" | "links">): readonly Worker[] => [
    ...copyHold.over(workers.filter((worker) => !links.includes(worker))),
    ...links,
  ];
  const functions = [
    createAgentRespond(guard(agents.respond, ["start"], requireReleased)),
    createTools(guard(agents.tools, ["listRemote", "importRemote", "test"], requireReleased)),
    createBatch(rest),
    createTestWebhook(guard(webhooks, ["testWebhook"], requireReleased)),
    createWebhooks(webhooks),
    createWebhookDispatcher(guard(webhooks, ["retryDelivery"], requireReleased)),
    createRequestSigning({
      regenerate: (userId) => regenerateSigningSecret(auth, userId),
      remove: (userId) => removeSigningSecret(auth, userId),
    }),
  ];
  return {
    auth,
    respond: agents.respond,
    realtime: realtime.room,
    limits,
    routes: [
      ...healthRoutes({ version, findObstacle: options.findObstacle, isHeldCopy: () => copyHold.isHeld }),
      ...(roles.has("api")
        ? [
            ...authRoutes(authEndpoints, auth),
            ...restRoutes(rest),
            ...functionRoutes({ functions, limits }),
            ...referenceRoutes(openReference({ auth: authEndpoints, functions: FUNCTION_TABLE })),
            ...realtimeRoutes(realtime.room.broadcast),
          ]
        : []),
    ],
    workers: [
      { name: "database-watch", run: (until) => watchDatabase(database, until) },
      { name: "key-watch", run: (until) => auth.keyRing.watch(until) },
      { name: "schema-watch", run: (until) => rest.watch(until) },
      ...(measure === null
        ? []
        : [
            {
              name: "storage-watch",
              run: (until: AbortSignal) => watchStorage({ settings, observer, measure }, until),
            },
          ]),
      ...(roles.has("worker")
        ? [createAuthHousekeeping(auth, { settings, random: Math.random }), ...holdWork(webhooks), ...holdWork(agents)]
        : [...webhooks.links, ...agents.links]),
      // Nodes that serve requests know the address for the links in mails.
      ...(roles.has("api") ? copyHold.over([outbox.worker]) : []),
      ...(roles.has("realtime") ? [realtime.changes.worker, ...realtime.room.workers] : []),
    ],
    watched: {
      countSockets: () => realtime.room.countSockets(),
      lagBytes: () => realtime.changes.lagBytes(),
      findBacklog: () => webhooks.findBacklog(),
      countRuns: () => agents.countLiveRuns(),
      measureStorage: measure,
    },
  };
}

function openRealtimeRoom(
  { settings, database, server, masterKey, observer, clock }: ModulesOptions,
  auth: AuthContext,
): { readonly changes: Changes; readonly room: RealtimeModule } {
  const directUrl = withRole(server.directUrl, REPLICA_ROLE, derivePassword(masterKey, REPLICA_ROLE));
  const { dbSchemas: schemas, realtimePayloadLimitBytes: maxRecordBytes } = settings;
  const changes = openChanges({ directUrl, database, observer, clock, settings: { schemas, maxRecordBytes } });
  const room = openRealtime({
    changes,
    authenticate: async (token, apikey) => {
      const { principal, expiresAt } = await authenticateSocket(auth, { apikey, token });
      return { caller: principal, expiresAt };
    },
    privateTopics: createPrivateTopics({ database, settings, newId: randomUUID }),
    addressOf: (request) => clientKeyOf(request, settings),
    settings,
    observer,
    clock,
    newId: randomUUID,
  });
  return { changes, room };
}

async function connectLimitStore({ settings, observer, closers }: ModulesOptions): Promise<SharedStore | null> {
  if (settings.redisUrl === null) return null;
  const { store, close } = await connectStore(settings.redisUrl, observer);
  closers.add("limit store", async () => close());
  return store;
}

/** Receivers and tools on this machine may have certificates of the local authority. */
function readAuthorities({ caFile, settings }: ModulesOptions): Promise<string[]> {
  const files = [caFile, settings.webhookCaFile].filter((file) => file !== null);
  return Promise.all(files.map((file) => readFile(file, "utf8")));
}

/** The same room, of which some calls are made only when the check does not throw. */
function guard<Room extends object, Name extends keyof Room>(
  room: Room,
  names: readonly Name[],
  check: () => void,
): Room {
  const guarded = { ...room };
  for (const name of names) {
    const call = room[name];
    if (typeof call !== "function") throw new TypeError(`${String(name)} is not a call`);
    guarded[name] = (async (...args: unknown[]): Promise<unknown> => {
      check();
      return Reflect.apply(call, room, args);
    }) as Room[Name];
  }
  return guarded;
}

function findUrlFault(url: string, policy: AddressPolicy): string | null {
  const checked = checkTargetUrl(url, policy);
  return checked.ok ? null : checked.reason;
}
