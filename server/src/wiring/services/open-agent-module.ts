import { type AddressPolicy, type GuardedFetch, openGuardedFetch } from "@swarmbase/guarded-fetch";
import type { Framework } from "@swarmbase/sdk";
import {
  type AgentModule,
  catalogueOf,
  createProviderChecks,
  createProviderSetup,
  loadProviders,
  nameProviders,
  openAgents,
  preferredFramework,
  type ProviderChecks,
  type ProviderNames,
  type ProviderSetup,
  type Providers,
  requireProtocols,
  selectWrappedKeys,
  storeWrappedKey,
  type ToolKinds,
  unwrapKeys,
  type VendorProtocol,
  watchProviders,
  wrapKey,
} from "../../agents/index.ts";
import { type AuthHooks, customizeClaims } from "../../auth/index.ts";
import { type Claims, newRowId, withClient } from "../../db/index.ts";
import { type Limits, rateLimitedError, userKey } from "../../limits/index.ts";
import type { OpenNodeContext } from "../node-context.ts";
import { storeModels } from "../../tables/index.ts";
import { buildSignedHeaders, isReachableByOthers } from "../../webhooks/index.ts";
import { testKey } from "../providers/test-providers.ts";

interface AgentModuleOptions extends OpenNodeContext {
  readonly listenUrl: string;
  readonly policy: AddressPolicy;
  /** PEM texts of authorities that are trusted beside the system's. */
  readonly ca: readonly string[];
  readonly toolKey: Buffer;
  readonly identityKey: Buffer;
  readonly toolKinds: ToolKinds;
  readonly protocols: readonly VendorProtocol[];
  readonly limits: Limits;
  /** Null means that tokens have no other claims. */
  readonly claimsHook: AuthHooks["custom_access_token"];
  onEvents(): void;
  onExtension(name: string | null): void;
}

const TOOL_CONNECTIONS = 64;
const PROVIDER_CONNECTIONS = 512;

export interface OpenedAgents extends AgentModule {
  /** As they are configured now. */
  providerNames(): ProviderNames;
  preferredFramework(): Framework;
  readonly providerChecks: ProviderChecks;
  readonly providerSetup: ProviderSetup;
}

/** The agents with their outgoing connections, rate limits, and the watcher of the providers. */
export function openAgentModule(options: AgentModuleOptions): OpenedAgents {
  let current = options.providers;
  const { settings, environment, observer, clock, closers, limits, policy, ca, claimsHook } = options;
  const connections = openProviderConnections(options);
  const guarded = openGuardedFetch({ policy, ca, connectionsPerOrigin: TOOL_CONNECTIONS, exemptUrls: [] });
  const hasQuota = async (window: "ai" | "tool", userId: string): Promise<boolean> => {
    const state = await limits.take(window, userKey(userId));
    return state === null || !state.isExceeded;
  };
  const module = openAgents({
    ...options,
    database: { service: options.database.work },
    commits: options.database.commits,
    ownerUrl: options.server.ownerUrl,
    providerFetch: connections.fetch,
    guarded,
    random: Math.random,
    newId: () => newRowId(clock.now()),
    node: options.primary?.node,
    ...(claimsHook !== null && {
      // As a new token of the person would have them.
      customizeClaims: (claims: Claims) => customizeClaims(claimsHook, { claims, method: "token_refresh" }),
    }),
    signRequest: ({ id, type, secret }, body, timestampSeconds) =>
      buildSignedHeaders({ id, eventId: id, eventType: type, secret, previousSecrets: [] }, body, timestampSeconds),
    charge: {
      answer: (userId) => hasQuota("ai", userId),
      tool: (userId) => hasQuota("tool", userId),
      start: async (userId) => {
        const state = await limits.take("ai", userKey(userId));
        if (state?.isExceeded === true) throw rateLimitedError("ai", state);
      },
    },
  });
  closers.add("connections of agents", async () => {
    module.close();
    await Promise.all([connections.close(), guarded.close()]);
  });
  const readStored = async () => unwrapKeys(options.masterKey, await selectWrappedKeys(options.database.work));
  const replaceProviders = async (providers: Providers): Promise<void> => {
    requireProtocols(providers, options.protocols);
    await withClient(options.server.ownerUrl, (client) => storeModels(client, catalogueOf(providers)));
    connections.allow(providers);
    module.models.replace(providers);
    current = providers;
  };
  const { found } = options;
  const watcher = watchProviders({
    settings,
    environment,
    found,
    observer,
    readStored,
    commits: options.database.commits,
    onChange: replaceProviders,
  });
  return {
    ...module,
    nodeWorkers: [...module.nodeWorkers, watcher],
    providerNames: () => nameProviders(current),
    preferredFramework: () => preferredFramework(current),
    providerChecks: createProviderChecks(module.models, () => current),
    providerSetup: createProviderSetup({
      isOpen: settings.providerDetection && !isReachableByOthers(settings) && options.protocols.length > 0,
      current: () => current,
      test: (given, signal) => testKey({ ...options, signal }, given),
      store: async ({ framework, key }) => {
        const wrapped = wrapKey(options.masterKey, framework, key);
        await withClient(options.server.ownerUrl, (client) => storeWrappedKey(client, framework, wrapped));
        const stored = await readStored();
        await replaceProviders(loadProviders(settings, environment, null, { ...found, stored }));
      },
    }),
  };
}

interface ProviderConnections {
  readonly fetch: typeof globalThis.fetch;
  /** Connections of calls in progress stay open. */
  allow(providers: Providers): void;
  close(): Promise<void>;
}

/** URLs that the operator configured are exempt from the address policy; those of the vendors are not. */
function openProviderConnections({ providers, policy, ca }: AgentModuleOptions): ProviderConnections {
  const open = (exemptUrls: readonly string[]): GuardedFetch =>
    openGuardedFetch({ policy, ca, connectionsPerOrigin: PROVIDER_CONNECTIONS, exemptUrls });
  let allowed = baseUrlsOf(providers);
  const fetches = [open(allowed)];
  return {
    // The types of the package's fetch and the platform's differ in members that are not used here.
    fetch: ((input: string, init: object) => fetches.at(-1)?.fetch(input, init)) as unknown as typeof globalThis.fetch,
    allow(changed) {
      const urls = baseUrlsOf(changed);
      if (urls.join(" ") === allowed.join(" ")) return;
      allowed = urls;
      fetches.push(open(urls));
    },
    close: async () => {
      await Promise.all(fetches.map((each) => each.close()));
    },
  };
}

function baseUrlsOf(providers: Providers): readonly string[] {
  return Object.values(providers).flatMap(({ baseUrl }) => baseUrl ?? []);
}
