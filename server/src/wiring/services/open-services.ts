import { type AddressPolicy, checkTargetUrl, createAddressPolicy } from "@swarmbase/guarded-fetch";
import { createToolChecks, readRunMaxima } from "../../agents/index.ts";
import { translateScopeError } from "../../auth/index.ts";
import { deriveKey, derivePassword } from "../../crypto/index.ts";
import { newRowId, withRole } from "../../db/index.ts";
import { type CorePorts, protocolsOf } from "../../extensions/index.ts";
import { connectStore, type Limits, openLimits, type SharedStore } from "../../limits/index.ts";
import { openRest, type RestModule } from "../../rest/index.ts";
import { createIsOwnName, createTableRules, isPortalName } from "../../tables/index.ts";
import { decideAllowedCidrs, readAuthorities, type WebhookModule } from "../../webhooks/index.ts";
import { Later } from "../later.ts";
import type { OpenNodeContext } from "../node-context.ts";
import { openAgentModule } from "./open-agent-module.ts";
import { openAuthModule } from "./open-auth-module.ts";
import { openExtensionModule } from "./open-extension-module.ts";
import { openHookModule } from "./open-hook-module.ts";
import { openFunctions } from "./open-functions.ts";
import { openRealtimeModule } from "./open-realtime-module.ts";
import { openWebhookModule } from "./open-webhook-module.ts";
import type { Services } from "./services.ts";

const TOOL_KEY_PURPOSE = "tool-secrets";
const IDENTITY_KEY_PURPOSE = "tool-call-identity";

/** Opens all modules, each with those that it needs. Webhook receivers on this machine may have certificates of the authority `caFile`. */
export async function openServices(context: OpenNodeContext, caFile: string | null): Promise<Services> {
  const { settings, server, masterKey, copyHold } = context;
  const policy = createAddressPolicy({
    allowedCidrs: decideAllowedCidrs(settings),
    allowedPorts: settings.webhookAllowedPorts,
  });
  const ca = await readAuthorities({ localFile: caFile, ownFile: settings.webhookCaFile });
  const listenUrl = withRole(server.directUrl, "sb_service", derivePassword(masterKey, "sb_service"));
  const toolKey = deriveKey(masterKey, TOOL_KEY_PURPOSE);
  const core = new Later<CorePorts>("the services are not open yet");

  const extensions = await openExtensionModule({ ...context, policy, ca, key: toolKey, getCore: core.get });
  const webhooks = openWebhookModule(context, { policy, ca, listenUrl });
  const limits = await openLimitModule(context, webhooks);
  const hooks = openHookModule(context, { policy, ca });
  const agents = openAgentModule({
    ...context,
    policy,
    ca,
    listenUrl,
    toolKey,
    identityKey: deriveKey(masterKey, IDENTITY_KEY_PURPOSE),
    toolKinds: extensions.toolKinds,
    protocols: protocolsOf(context.extensions),
    limits,
    claimsHook: hooks.custom_access_token,
    onEvents: () => webhooks.wake(),
    onExtension: (name) => extensions.wake(name),
  });
  const { authorizations } = agents.tools;
  const { auth, outbox, accountMails } = await openAuthModule(context, {
    policy,
    ca,
    hooks,
    prepareWithdrawal: (id) => authorizations.prepareWithdrawal(id),
  });
  const rest = await openRestModule(context, { extensions, webhooks, agents, outbox }, { policy, listenUrl, toolKey });
  const realtime = openRealtimeModule(context, auth, extensions);
  const functions = openFunctions({ auth, agents, rest, webhooks }, context);

  const requireReleased = (): void => copyHold.requireReleased();
  const { providerChecks, providerSetup } = agents;
  const { respond } = agents;
  core.set({ functions, rest, limits, auth, providerChecks, providerSetup, respond, requireReleased });
  return { auth, outbox, accountMails, extensions, webhooks, limits, agents, rest, realtime, functions };
}

async function openLimitModule(
  { settings, primary = null, clock, observer, closers }: OpenNodeContext,
  webhooks: WebhookModule,
): Promise<Limits> {
  let store: SharedStore | null = null;
  if (settings.redisUrl !== null) {
    const connected = await connectStore(settings.redisUrl, observer);
    closers.add("limit store", async () => connected.close());
    ({ store } = connected);
  }
  return openLimits({
    settings,
    store,
    ...(primary !== null && { counts: primary.counts }),
    countWebhookSend: (userId) => webhooks.countSend(userId),
    clock,
    observer,
  });
}

interface RestModulePorts {
  readonly policy: AddressPolicy;
  readonly listenUrl: string;
  readonly toolKey: Buffer;
}

function openRestModule(
  { settings, database, clock, baseUrl, version, observer }: OpenNodeContext,
  { extensions, webhooks, agents, outbox }: Pick<Services, "extensions" | "webhooks" | "agents" | "outbox">,
  { policy, listenUrl, toolKey }: RestModulePorts,
): Promise<RestModule> {
  const newId = (): string => newRowId(clock.now());
  const findUrlFault = (url: string): string | null => {
    const checked = checkTargetUrl(url, policy);
    return checked.ok ? null : checked.reason;
  };
  return openRest({
    database,
    listenUrl,
    rules: createTableRules({
      pool: database.service,
      findUrlFault,
      added: extensions.tables,
      tools: createToolChecks({ key: toolKey, newId, kinds: extensions.toolKinds, findUrlFault }),
      runMaxima: readRunMaxima(settings),
    }),
    isOwn: createIsOwnName(extensions.tables),
    isOfPortal: isPortalName,
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
}
