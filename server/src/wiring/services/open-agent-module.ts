import { type AddressPolicy, type GuardedFetch, openGuardedFetch } from "@swarmbase/guarded-fetch";
import {
  type AgentModule,
  catalogueOf,
  createProviderChecks,
  watchProvidersFile,
  nameProviders,
  openAgents,
  type ProviderChecks,
  type ProviderNames,
  type Providers,
  requireProtocols,
  type ToolKinds,
  type VendorProtocol,
} from "../../agents/index.ts";
import { newRowId, withClient } from "../../db/index.ts";
import type { Limits } from "../../limits/index.ts";
import type { OpenNodeContext } from "../node-context.ts";
import { storeModels } from "../../tables/index.ts";
import { buildSignedHeaders } from "../../webhooks/index.ts";

export interface AgentModuleOptions extends OpenNodeContext {
  readonly listenUrl: string;
  readonly policy: AddressPolicy;
  /** PEM texts of authorities that are trusted beside the system's. */
  readonly ca: readonly string[];
  readonly toolKey: Buffer;
  readonly identityKey: Buffer;
  readonly toolKinds: ToolKinds;
  readonly protocols: readonly VendorProtocol[];
  readonly limits: Limits;
  onEvents(): void;
}

const TOOL_CONNECTIONS = 64;
const PROVIDER_CONNECTIONS = 512;

export interface OpenedAgents extends AgentModule {
  /** As the providers file has them now. */
  providerNames(): ProviderNames;
  readonly providerChecks: ProviderChecks;
}

/** The agents with their outgoing connections, rate limits, and the watcher of the providers file. */
export function openAgentModule(options: AgentModuleOptions): OpenedAgents {
  let current = options.providers;
  const { settings, environment, observer, clock, closers, limits, policy, ca } = options;
  const connections = openProviderConnections(options);
  const guarded = openGuardedFetch({ policy, ca, connectionsPerOrigin: TOOL_CONNECTIONS, exemptUrls: [] });
  const hasQuota = async (window: "ai" | "tool", userId: string): Promise<boolean> => {
    const state = await limits.take(window, `user:${userId}`);
    return state === null || !state.isExceeded;
  };
  const module = openAgents({
    ...options,
    database: { service: options.database.work },
    ownerUrl: options.server.ownerUrl,
    providerFetch: connections.fetch,
    guarded,
    random: Math.random,
    newId: () => newRowId(clock.now()),
    node: options.primary?.node,
    signRequest: ({ id, type, secret }, body, timestampSeconds) =>
      buildSignedHeaders({ id, eventId: id, eventType: type, secret, previousSecrets: [] }, body, timestampSeconds),
    charge: { answer: (userId) => hasQuota("ai", userId), tool: (userId) => hasQuota("tool", userId) },
  });
  closers.add("connections of agents", async () => {
    module.close();
    await Promise.all([connections.close(), guarded.close()]);
  });
  const fileWatcher = watchProvidersFile({
    settings,
    environment,
    observer,
    onChange: async (providers) => {
      requireProtocols(providers, options.protocols);
      await withClient(options.server.ownerUrl, (client) => storeModels(client, catalogueOf(providers)));
      connections.allow(providers);
      module.models.replace(providers);
      current = providers;
    },
  });
  const watchers = settings.providersFile === null ? [] : [fileWatcher];
  return {
    ...module,
    nodeWorkers: [...module.nodeWorkers, ...watchers],
    providerNames: () => nameProviders(current),
    providerChecks: createProviderChecks(module.models, () => current),
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
