import { type AgentModule, catalogueOf, followProvidersFile, openAgents, type Providers } from "./agents/index.ts";
import type { Closers } from "./closers.ts";
import type { Environment, Settings } from "./config/index.ts";
import { connectClient, type Database, type DatabaseServer, newRowId } from "./db/index.ts";
import type { Worker } from "./jobs/index.ts";
import type { Limits } from "./limits/index.ts";
import type { Observer } from "./observe/index.ts";
import { type AddressPolicy, type GuardedFetch, openGuardedFetch } from "./outbound/index.ts";
import { storeModels } from "./tables/index.ts";
import type { Clock } from "./time/index.ts";

export interface AgentRoomOptions {
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
  readonly limits: Limits;
  readonly closers: Closers;
  onEvents(): void;
}

const TOOL_CONNECTIONS = 64;
const PROVIDER_CONNECTIONS = 512;

/** The agents, with their ways out, what their answers count for, and providers that can change while they run. */
export function openAgentRoom(options: AgentRoomOptions): AgentModule {
  const { settings, environment, observer, clock, closers, limits, policy, ca } = options;
  const way = openProviderWay(options);
  const guarded = openGuardedFetch({ policy, ca, connectionsPerOrigin: TOOL_CONNECTIONS, exemptUrls: [] });
  const isLeft = async (window: "ai" | "tool", userId: string): Promise<boolean> => {
    const standing = await limits.take(window, `user:${userId}`);
    return standing === null || !standing.isExceeded;
  };
  const room = openAgents({
    ...options,
    database: { service: options.database.work },
    providerFetch: way.fetch,
    guarded,
    random: Math.random,
    newId: () => newRowId(clock.now()),
    charge: { answer: (userId) => isLeft("ai", userId), tool: (userId) => isLeft("tool", userId) },
  });
  closers.add("connections of agents", async () => {
    await room.close();
    await Promise.all([way.close(), guarded.close()]);
  });
  const follower = followProvidersFile({
    settings,
    environment,
    observer,
    onChange: async (providers) => {
      await offerModels(options.server, providers);
      way.allow(providers);
      room.models.replace(providers);
    },
  });
  const followers: Worker[] = settings.providersFile === null ? [] : [follower];
  return { ...room, workers: [...room.workers, ...followers], links: [...room.links, ...followers] };
}

async function offerModels({ ownerUrl }: DatabaseServer, providers: Providers): Promise<void> {
  const client = await connectClient(ownerUrl);
  try {
    await storeModels(client, catalogueOf(providers));
  } finally {
    await client.end();
  }
}

interface ProviderWay {
  readonly fetch: typeof globalThis.fetch;
  /** What calls under way use stays open. */
  allow(providers: Providers): void;
  close(): Promise<void>;
}

/** What the operator configured may be anywhere; the vendors' own addresses are judged like any other. */
function openProviderWay({ providers, policy, ca }: AgentRoomOptions): ProviderWay {
  const open = (exemptUrls: readonly string[]): GuardedFetch =>
    openGuardedFetch({ policy, ca, connectionsPerOrigin: PROVIDER_CONNECTIONS, exemptUrls });
  let allowed = baseUrlsOf(providers);
  const ways = [open(allowed)];
  return {
    // The one of the platform and the one of the package differ in types that nobody here looks at.
    fetch: ((input: string, init: object) => ways.at(-1)?.fetch(input, init)) as unknown as typeof globalThis.fetch,
    allow(changed) {
      const wanted = baseUrlsOf(changed);
      if (wanted.join(" ") === allowed.join(" ")) return;
      allowed = wanted;
      ways.push(open(wanted));
    },
    close: async () => {
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

function baseUrlsOf(providers: Providers): readonly string[] {
  return Object.values(providers).flatMap(({ baseUrl }) => baseUrl ?? []);
}
