import { type AddressPolicy, openOutbound } from "@swarmbase/guarded-fetch";
import type { OpenNodeContext } from "../node-context.ts";
import { openWebhooks, type WebhookModule } from "../../webhooks/index.ts";

const MAX_ORIGINS = 1_000;
const MIN_CONNECTIONS = 64;

interface WebhookConnections {
  readonly policy: AddressPolicy;
  readonly ca: string[];
  readonly listenUrl: string;
}

export function openWebhookModule(
  options: OpenNodeContext,
  { policy, ca, listenUrl }: WebhookConnections,
): WebhookModule {
  const { settings, database, server, observer, clock, closers, traceSource, primary } = options;
  const outbound = openOutbound({
    policy,
    ca,
    // Endpoints may share an origin, and waiting for a connection counts against their timeout.
    connectionsPerOrigin: Math.max(MIN_CONNECTIONS, settings.webhookEndpointConcurrency),
    maxOrigins: MAX_ORIGINS,
  });
  closers.add("outbound connections", () => outbound.close());
  const shared = { settings, observer, clock, traceSource, node: primary?.node };
  return openWebhooks({
    database: { service: database.work },
    commits: database.commits,
    outbound,
    listenUrl,
    ownerUrl: server.ownerUrl,
    ...shared,
  });
}
