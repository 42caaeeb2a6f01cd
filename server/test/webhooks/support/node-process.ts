import { createAddressPolicy, openOutbound } from "@swarmbase/guarded-fetch";
import { openDatabase } from "../../../src/db/index.ts";
import { systemClock } from "../../../src/time/index.ts";
import { openWebhooks } from "../../../src/webhooks/index.ts";
import { silentObserver } from "../../support/silent-observer.ts";

/** A node in a separate process, so that a test can kill it. */
export interface NodeProcessOrder {
  readonly url: string;
  readonly masterKey: string;
  readonly ca: string;
  readonly leaseMs: number;
  readonly limitWebhooks: number;
  readonly node?: string;
}

process.once("message", (order: NodeProcessOrder) => {
  const { url, masterKey, ca, leaseMs, limitWebhooks, node } = order;
  const webhooks = openWebhooks({
    database: openDatabase({ url, masterKey, poolSize: 4, observer: silentObserver }),
    outbound: openOutbound({
      policy: createAddressPolicy({ allowedCidrs: ["127.0.0.0/8"] }),
      ca: [ca],
      connectionsPerOrigin: 64,
      maxOrigins: 10,
    }),
    listenUrl: null,
    node,
    settings: {
      webhookRetrySchedule: [0, 1],
      webhookConcurrency: 64,
      webhookEndpointConcurrency: 8,
      webhookQueueLimit: 0,
      limitWebhooks,
      webhookRetentionDays: 0,
      stopTimeoutMs: 1_000,
    },
    observer: silentObserver,
    clock: systemClock,
    times: { leaseMs, fanOutPollMs: 20, dispatchPollMs: 50 },
  });
  const forever = new AbortController().signal;
  for (const worker of [...webhooks.workers, ...webhooks.nodeWorkers]) void worker.run(forever);
});
process.on("disconnect", () => process.exit());
