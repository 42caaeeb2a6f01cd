import { checkTargetUrl, createAddressPolicy } from "@swarmbase/guarded-fetch";
import { createToolChecks, type ProviderNames, type Respond } from "./agents/index.ts";
import {
  answerInvitation,
  type AuthContext,
  authEndpoints,
  createAuthHousekeeping,
  createAccountMails,
  createInvitationLink,
  createMailOutbox,
  createUserKey,
  findSecretInvitation,
  openAuth,
  regenerateSigningSecret,
  removeSigningSecret,
  revokeUserKey,
  translateScopeError,
} from "./auth/index.ts";
import { type CopyHold, guardCalls } from "./copy-hold.ts";
import { deriveKey, derivePassword } from "./crypto/index.ts";
import { measureStorage, newRowId, watchDatabase, watchStorage, withRole } from "./db/index.ts";
import type { HelpLinks } from "./errors/index.ts";
import { type CoreParts, protocolsOf } from "./extensions/index.ts";
import {
  createAgentRespond,
  createApiKeys,
  createBatch,
  createInvitations,
  createRequestSigning,
  createTestWebhook,
  createTools,
  createWebhookDispatcher,
  createWebhooks,
} from "./functions/index.ts";
import {
  authRoutes,
  functionRoutes,
  healthRoutes,
  type Obstacle,
  type Route,
  realtimeRoutes,
  restRoutes,
} from "./http/index.ts";
import type { Worker } from "./jobs/index.ts";
import { connectStore, type Limits, openLimits, type SharedStore } from "./limits/index.ts";
import type { MetricFamily } from "./observe/index.ts";
import type { OpenNodeContext } from "./node-context.ts";
import { openAgentModule } from "./open-agent-module.ts";
import { openExtensionModule } from "./open-extension-module.ts";
import { openRealtimeModule } from "./open-realtime-module.ts";
import { openWebhookModule } from "./open-webhook-module.ts";
import type { RealtimeModule } from "./realtime/index.ts";
import { openRest } from "./rest/index.ts";
import type { Watched } from "./serve-metrics.ts";
import { createTableRules, isOwnName } from "./tables/index.ts";
import { decideAllowedCidrs, readAuthorities, type WebhookModule } from "./webhooks/index.ts";

export interface ModulesOptions extends OpenNodeContext {
  readonly masterKey: string;
  readonly copyHold: CopyHold;
  /** The local certificate authority; webhook receivers on this machine may have certificates of it. */
  readonly caFile: string | null;
  /** Throws before the service listens. */
  baseUrl(): string;
  /** Empty when nothing is measured. */
  readMetrics(): Promise<readonly MetricFamily[]>;
  /** Why `/ready` answers 503; null when it answers 200. */
  findObstacle(): Promise<Obstacle | null>;
}

export interface Modules {
  readonly auth: AuthContext;
  readonly respond: Respond;
  readonly realtime: RealtimeModule;
  readonly limits: Limits;
  readonly routes: readonly Route[];
  readonly helpLinks: HelpLinks;
  readonly workers: readonly Worker[];
  readonly watched: Watched;
  providerNames(): ProviderNames;
  /** Releases what a lost node has leased or announced. */
  takeOver(node: string): Promise<void>;
}

const TOOL_KEY_PURPOSE = "tool-secrets";

/** Opens all modules, each with the parts of the others that it needs. */
export async function openModules(options: ModulesOptions): Promise<Modules> {
  const {
    settings,
    database,
    server,
    masterKey,
    observer,
    clock,
    version,
    baseUrl,
    closers,
    copyHold,
    part = null,
  } = options;
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
    // The original of a copy still uses the tokens.
    prepareWithdrawal: async (userId) =>
      copyHold.isHeld ? () => {} : agents.tools.authorizations.prepareWithdrawal(userId),
  });
  closers.add("mailer", () => auth.mailer.close());
  closers.add("seen refreshes", () => auth.seenRefreshes.flush());
  closers.add("uses of API keys", () => auth.userKeys.flush());
  const outbox = createMailOutbox(auth, { random: Math.random });
  const accountMails = [createAccountMails(auth, { random: Math.random })];
  const policy = createAddressPolicy({
    allowedCidrs: decideAllowedCidrs(settings),
    allowedPorts: settings.webhookAllowedPorts,
  });
  const ca = await readAuthorities({ localFile: options.caFile, ownFile: settings.webhookCaFile });
  let core: CoreParts | null = null;
  const getCore = (): CoreParts => {
    if (core === null) throw new Error("the modules are not open yet");
    return core;
  };
  const toolKey = deriveKey(masterKey, TOOL_KEY_PURPOSE);
  const extensions = openExtensionModule({ ...options, policy, ca, key: toolKey, getCore });
  const webhooks = openWebhookModule(options, { policy, listenUrl, ca });
  const limits = openLimits({
    settings,
    store: await connectLimitStore(options),
    ...(part !== null && { counts: part.counts }),
    countWebhookSend: (userId) => webhooks.countSend(userId),
    clock,
    observer,
  });
  const onEvents = (): void => webhooks.wake();
  const { toolKinds } = extensions;
  const protocols = protocolsOf(options.extensions);
  const parts = { listenUrl, policy, ca, toolKey, toolKinds, protocols, limits, onEvents };
  const agents = openAgentModule({ ...options, ...parts });
  const findUrlFault = (url: string): string | null => {
    const checked = checkTargetUrl(url, policy);
    return checked.ok ? null : checked.reason;
  };
  const rest = await openRest({
    database,
    listenUrl,
    rules: createTableRules({
      pool: database.service,
      findUrlFault,
      tools: createToolChecks({
        key: toolKey,
        newId: () => newRowId(clock.now()),
        kinds: toolKinds,
        findUrlFault,
      }),
    }),
    isOwn: isOwnName,
    describeSchema: extensions.describeSchema,
    settings,
    translateEnter: translateScopeError,
    onWebhookWork: () => webhooks.wake(),
    onWrite: (paths) => {
      // A stored message may start a run.
      if (paths.includes("/messages")) agents.executor.wake();
      if (paths.includes("/swarm_members")) outbox.wake();
    },
    baseUrl,
    version,
    observer,
  });

  const realtime = openRealtimeModule(options, auth, extensions);
  const { clusterDir } = server;
  const measure = clusterDir === null ? null : () => measureStorage(clusterDir);
  // The primary watches the disk for its workers.
  const storageWatch: readonly Worker[] =
    measure === null || part !== null
      ? []
      : [{ name: "storage-watch", run: (until) => watchStorage({ settings, observer, measure }, until) }];
  const holdWork = ({ workers, links }: Pick<WebhookModule, "workers" | "links">): readonly Worker[] => [
    ...copyHold.over(workers.filter((worker) => !links.includes(worker))),
    ...links,
  ];
  const functions = [
    createAgentRespond(guardCalls(agents.respond, ["start"], requireReleased)),
    createTools({
      ...guardCalls(agents.tools, ["listRemote", "importRemote", "test"], requireReleased),
      authorizations: guardCalls(agents.tools.authorizations, ["start", "finish", "revoke"], requireReleased),
    }),
    createBatch(rest),
    createTestWebhook(guardCalls(webhooks, ["testWebhook"], requireReleased)),
    createWebhooks(webhooks),
    createWebhookDispatcher(guardCalls(webhooks, ["retryDelivery", "sendNow"], requireReleased)),
    createRequestSigning({
      regenerate: (change) => regenerateSigningSecret(auth, change),
      remove: (change) => removeSigningSecret(auth, change),
    }),
    createApiKeys({
      create: (request) => createUserKey(auth, request),
      revoke: (request) => revokeUserKey(auth, request),
    }),
    createInvitations({
      createLink: (request) => createInvitationLink(auth, request),
      find: (request) => findSecretInvitation(auth, request),
      answer: (request) => answerInvitation(auth, request),
      onEvents,
    }),
  ];
  core = { functions, rest, limits, auth, providerChecks: agents.providerChecks, requireReleased };
  return {
    auth,
    respond: agents.respond,
    providerNames: agents.providerNames,
    realtime: realtime.module,
    limits,
    helpLinks: extensions.helpLinks,
    routes: [
      ...healthRoutes({
        version,
        findObstacle: options.findObstacle,
        isHeldCopy: () => copyHold.isHeld,
        isLimitStoreAway: () => limits.isStoreAway(),
      }),
      ...(roles.has("api")
        ? [
            ...authRoutes(authEndpoints, auth),
            ...restRoutes(rest),
            ...functionRoutes({ functions, limits }),
            ...realtimeRoutes(realtime.module.broadcast),
            ...extensions.routes,
          ]
        : []),
    ],
    workers: [
      { name: "database-watch", run: (until) => watchDatabase(database, until) },
      { name: "key-watch", run: (until) => auth.keyRing.watch(until) },
      { name: "schema-watch", run: (until) => rest.watch(until) },
      ...storageWatch,
      ...extensions.nodeWorkers,
      ...(roles.has("worker")
        ? [
            createAuthHousekeeping(auth, { settings, random: Math.random }),
            ...holdWork(webhooks),
            ...holdWork(agents),
            ...copyHold.over(extensions.workers),
          ]
        : [...webhooks.links, ...agents.links]),
      // Only nodes that serve requests know the address for the links in mails.
      ...(roles.has("api") ? copyHold.over([outbox.worker]) : []),
      // Mails that are written to files are not held.
      ...(roles.has("api") ? (settings.smtpUrl === null ? accountMails : copyHold.over(accountMails)) : []),
      ...(roles.has("realtime") ? [realtime.changes.worker, ...realtime.module.workers] : []),
    ],
    takeOver: async (node) => {
      await Promise.all([webhooks.releaseNode(node), agents.releaseNode(node), realtime.module.forgetNode(node)]);
    },
    watched: {
      countSockets: () => realtime.module.countSockets(),
      lagBytes: part === null ? () => realtime.changes.lagBytes() : null,
      findBacklog: () => webhooks.findBacklog(),
      countRuns: () => agents.countLiveRuns(),
      measureStorage: measure,
      extensionGauges: extensions.gauges,
    },
  };
}

async function connectLimitStore({ settings, observer, closers }: ModulesOptions): Promise<SharedStore | null> {
  if (settings.redisUrl === null) return null;
  const { store, close } = await connectStore(settings.redisUrl, observer);
  closers.add("limit store", async () => close());
  return store;
}
