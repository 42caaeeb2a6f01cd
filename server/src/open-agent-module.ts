import {
  type AgentModule,
  catalogueOf,
  followProvidersFile,
  openAgents,
  type Providers,
  type ToolKinds,
} from "./agents/index.ts";
import type { Closers } from "./closers.ts";
import type { Environment, Settings } from "./config/index.ts";
import { connectClient, type Database, type DatabaseServer, newRowId } from "./db/index.ts";
import type { Worker } from "./jobs/index.ts";
import type { Limits } from "./limits/index.ts";
import type { Observer } from "./observe/index.ts";
import { type AddressPolicy, type GuardedFetch, openGuardedFetch } from "./outbound/index.ts";
import { storeModels } from "./tables/index.ts";
import type { Clock } from "./time/index.ts";

export interface AgentModuleOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly providers: Providers;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly version: string;
  readonly server: DatabaseServer;
  readonly database: Database;
  readonly listenUrl: string;
  readonly policy: AddressPolicy;
  /** PEM texts of authorities that are trusted beside the system's. */
  readonly ca: readonly string[];
  readonly toolKey: Buffer;
  readonly toolKinds: ToolKinds;
  readonly limits: Limits;
  readonly closers: Closers;
  onEvents(): void;
}

const TOOL_CONNECTIONS = 64;
const PROVIDER_CONNECTIONS = 512;

/** The agents with their outgoing connections, rate limits, and a providers file that is followed while they run. */
export function openAgentModule(options: AgentModuleOptions): AgentModule {
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
    providerFetch: connections.fetch,
    guarded,
    random: Math.random,
    newId: () => newRowId(clock.now()),
    charge: { answer: (userId) => hasQuota("ai", userId), tool: (userId) => hasQuota("tool", userId) },
  });
  closers.add("connections of agents", async () => {
    await module.close();
    await Promise.all([connections.close(), guarded.close()]);
  });
  const follower = followProvidersFile({
    settings,
    environment,
    observer,
    onChange: async (providers) => {
      await offerModels(options.server, providers);
      connections.allow(providers);
      module.models.replace(providers);
    },
  });
  const followers: Worker[] = settings.providersFile === null ? [] : [follower];
  return { ...module, workers: [...module.workers, ...followers], links: [...module.links, ...followers] };
}

async function offerModels({ ownerUrl }: DatabaseServer, providers: Providers): Promise<void> {
  const client = await connectClient(ownerUrl);
  try {
    await storeModels(client, catalogueOf(providers));
  } finally {
    await client.end();
  }
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
