import { randomUUID } from "node:crypto";
import type { Outbound } from "@swarmbase/guarded-fetch";
import type { Settings } from "../config/index.ts";
import { createNotificationChannel, type Database } from "../db/index.ts";
import type { Observer, TraceSource } from "../observe/index.ts";
import type { Clock } from "../time/index.ts";
import { type Commits, WakeUp, type Worker, WorkNotice } from "../jobs/index.ts";
import { retryDelivery, sendNow, testWebhook } from "./calls/attempt-now.ts";
import { regenerateSecret, revokePreviousSecrets } from "./calls/secrets.ts";
import { recoverSince, replay } from "./calls/send-again.ts";
import { testFilter } from "./calls/test-filter.ts";
import type { CallerId } from "./calls/webhook-access.ts";
import { createDispatcher } from "./dispatcher/dispatcher.ts";
import { FeedWaits } from "./feeds/feed-waits.ts";
import { createWebhookHousekeeping } from "./webhook-housekeeping.ts";
import { claimRangeOf, createClaims } from "./node-claims.ts";
import { createRecoveryWorker } from "./recovery-worker.ts";
import { releaseClaimRange } from "./sql/leases.ts";
import { selectRecovery } from "./sql/recoveries.ts";
import { grantSend } from "./sql/send-windows.ts";
import { selectBacklogByClass } from "./sql/select-backlog-by-class.ts";
import type { WebhookTools } from "./webhook-options.ts";

const TIMES = {
  /** How long a claim lasts unless it is renewed. */
  leaseMs: 30_000,
  fanOutPollMs: 250,
  dispatchPollMs: 1_000,
  recoveryPollMs: 5_000,
  feedPollMs: 1_000,
  housekeepingIntervalMs: 60_000,
};
const DISABLE_RULE = { failingDays: 5, minFailures: 20, warnAfterDays: 1 } as const;

export interface WebhooksOptions {
  readonly database: Pick<Database, "service">;
  readonly commits?: Commits;
  readonly outbound: Outbound;
  /** A direct connection to the database without a pooler, as any role; null: nodes find the work of others by polling. */
  readonly listenUrl: string | null;
  /** The database as the owner of the schema; null or absent: old rows are deleted one by one, and partitions stay. */
  readonly ownerUrl?: string | null;
  readonly settings: Pick<
    Settings,
    | "webhookRetrySchedule"
    | "webhookConcurrency"
    | "webhookEndpointConcurrency"
    | "webhookQueueLimit"
    | "webhookRetentionDays"
    | "stopTimeoutMs"
    | "limitWebhooks"
  >;
  readonly observer: Observer;
  readonly clock: Clock;
  /** Identifies this process among all nodes; by default a random id. */
  readonly node?: string | undefined;
  readonly random?: () => number;
  readonly traceSource?: TraceSource | null;
  readonly times?: Partial<typeof TIMES>;
}

/** What can wait for a poll. The payloads of notifications; releases before this one send an empty one. */
const WORK = ["events", "deliveries", "recoveries", "feeds"] as const;
type Work = (typeof WORK)[number];

/** The share of the stop timeout of the service that requests in flight get to finish. */
const STOP_SHARE = 0.7;

export type WebhookModule = ReturnType<typeof openWebhooks>;

export function openWebhooks(options: WebhooksOptions) {
  const {
    database,
    outbound,
    listenUrl,
    settings,
    observer,
    clock,
    random = Math.random,
    traceSource = null,
  } = options;
  const times = { ...TIMES, ...options.times };
  const tools: WebhookTools = {
    pool: database.service,
    commits: options.commits,
    outbound,
    observer,
    clock,
    random,
    newClaim: createClaims(options.node ?? randomUUID()),
    schedule: settings.webhookRetrySchedule,
    disableRule: DISABLE_RULE,
    sendLimit: settings.limitWebhooks,
    onFeedEvents: () => notifyAll("feeds"),
    traceSource,
  };
  const wakeUps = { events: new WakeUp(), deliveries: new WakeUp(), recoveries: new WakeUp(), feeds: new WakeUp() };
  const wakeAll = (): void => {
    for (const wakeUp of Object.values(wakeUps)) wakeUp.trigger();
  };
  /** Wakes other nodes for what this one leaves, and is woken by them. */
  const notifier =
    listenUrl === null
      ? null
      : createNotificationChannel({
          url: listenUrl,
          channel: "swarmbase_webhooks",
          applicationName: "swarmbase-webhooks",
          // Notifications may have been missed before the connect.
          onListening: wakeAll,
          onNotification: (payload) => (isWork(payload) ? wakeUps[payload].trigger() : wakeAll()),
          onLost: (error) => observer.note("webhook.relay_lost", { error }),
        });
  const feedWaits = new FeedWaits({ ...tools, wakeUp: wakeUps.feeds, everyMs: times.feedPollMs });
  const nodeWorkers: readonly Worker[] = [
    feedWaits.worker,
    ...(notifier === null ? [] : [{ name: "webhook-relay", run: notifier.run }]),
  ];
  const notifyAll = (work: Work): void => {
    wakeUps[work].trigger();
    notifier?.notify(work);
  };
  const notice = new WorkNotice(() => notifier?.notify("events"));

  const workers: readonly Worker[] = [
    createDispatcher(tools, {
      wakeUp: wakeUps.deliveries,
      eventWakeUp: wakeUps.events,
      eventNotice: notice,
      leaseMs: times.leaseMs,
      pollMs: times.dispatchPollMs,
      eventPollMs: times.fanOutPollMs,
      concurrency: settings.webhookConcurrency,
      endpointConcurrency: settings.webhookEndpointConcurrency,
      stopTimeoutMs: settings.stopTimeoutMs * STOP_SHARE,
      onDeliveries: () => notifyAll("deliveries"),
      onMoreEvents: () => notifier?.notify("events"),
    }),
    createRecoveryWorker(tools, {
      wakeUp: wakeUps.recoveries,
      pollMs: times.recoveryPollMs,
      onDeliveries: () => notifyAll("deliveries"),
    }),
    createWebhookHousekeeping(tools, {
      intervalMs: times.housekeepingIntervalMs,
      retentionDays: settings.webhookRetentionDays,
      queueLimit: settings.webhookQueueLimit,
      ownerUrl: options.ownerUrl ?? null,
      onResumed: () => notifyAll("events"),
    }),
  ];

  return {
    workers,
    /** Those of every node, also of one without the role `worker`: they notify other nodes, and wait for events of feeds. */
    nodeWorkers,
    feedWaits,
    /** Call after a write that may have made an event. Cheap: any number of calls cause one poll. */
    wake: () => {
      wakeUps.events.trigger();
      notice.add();
    },
    testWebhook: testWebhook.bind(null, tools),
    retryDelivery: retryDelivery.bind(null, tools),
    sendNow: sendNow.bind(null, tools),
    regenerateSecret: regenerateSecret.bind(null, tools),
    revokePreviousSecrets: revokePreviousSecrets.bind(null, tools),
    testFilter: testFilter.bind(null, tools),
    replay: async (call: Parameters<typeof replay>[1]) => {
      const replayed = await replay(tools, call);
      notifyAll("deliveries");
      return replayed;
    },
    recoverSince: async (call: Parameters<typeof recoverSince>[1]) => {
      const recovery = await recoverSince(tools, call);
      notifyAll("recoveries");
      return recovery;
    },
    findRecovery: (callerId: CallerId, id: string) => selectRecovery(tools.pool, callerId, id),
    /** Counts one send of a user in the window that the dispatchers use. */
    countSend: (userId: string) => grantSend(tools.pool, userId, tools.sendLimit),
    /** Releases the deliveries that a lost node has claimed, and looks for events that it has not turned into deliveries. */
    releaseNode: async (node: string) => {
      notifyAll("events");
      await releaseClaimRange(tools.pool, claimRangeOf(node));
      notifyAll("deliveries");
    },
    /** Due work that is not done yet, for monitoring. */
    findBacklog: () => selectBacklogByClass(tools.pool),
  };
}

function isWork(payload: string): payload is Work {
  return WORK.some((work) => work === payload);
}
