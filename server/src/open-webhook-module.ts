import type { Closers } from "./closers.ts";
import type { Settings } from "./config/index.ts";
import type { Database } from "./db/index.ts";
import type { Observer } from "./observe/index.ts";
import { type AddressPolicy, openOutbound } from "./outbound/index.ts";
import type { Clock } from "./time/index.ts";
import { openWebhooks, type WebhookModule } from "./webhooks/index.ts";

const MOST_ORIGINS = 1_000;
const FEWEST_CONNECTIONS = 64;

interface WebhookRoomOptions {
  readonly settings: Settings;
  readonly database: Database;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly closers: Closers;
}

interface WebhookSurroundings {
  readonly policy: AddressPolicy;
  readonly ca: string[];
  readonly listenUrl: string;
}

export function openWebhookRoom(
  options: WebhookRoomOptions,
  { policy, ca, listenUrl }: WebhookSurroundings,
): WebhookModule {
  const { settings, database, observer, clock, closers } = options;
  const outbound = openOutbound({
    policy,
    ca,
    // Several endpoints may share an origin, and waiting for a connection counts against their time.
    connectionsPerOrigin: Math.max(FEWEST_CONNECTIONS, settings.webhookEndpointConcurrency),
    maxOrigins: MOST_ORIGINS,
  });
  closers.add("outbound connections", () => outbound.close());
  return openWebhooks({
    database: { service: database.work },
    outbound,
    listenUrl,
    settings,
    observer,
    clock,
  });
}
