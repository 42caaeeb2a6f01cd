import { randomUUID } from "node:crypto";
import type { Outbound } from "@swarmbase/guarded-fetch";
import type { Settings } from "../config/index.ts";
import { createNotificationChannel, type Database, type NotificationChannel } from "../db/index.ts";
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
  /** A direct connection to the database without a pooler, as any role; null means that nodes find the work of others by polling. */
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

/** What can wait for a poll, as the payload of a notification. A later release may send others, which wake all. */
const WORK = ["events", "deliveries", "recoveries", "feeds"] as const;
type Work = (typeof WORK)[number];

/** The share of the stop timeout of the service that requests in flight get to finish. */
const STOP_SHARE = 0.7;

/** A call of the module: that of its function, without the tools. */
type Call<Of> = Of extends (tools: WebhookTools, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export interface WebhookModule {
  readonly workers: readonly Worker[];
  /** Those of every node, also of one without the role `worker`: they notify other nodes, and wait for events of feeds. */
  readonly nodeWorkers: readonly Worker[];
  readonly feedWaits: FeedWaits;
  readonly testWebhook: Call<typeof testWebhook>;
  readonly retryDelivery: Call<typeof retryDelivery>;
  readonly sendNow: Call<typeof sendNow>;
  readonly regenerateSecret: Call<typeof regenerateSecret>;
  readonly revokePreviousSecrets: Call<typeof revokePreviousSecrets>;
  readonly testFilter: Call<typeof testFilter>;
  readonly replay: Call<typeof replay>;
  readonly recoverSince: Call<typeof recoverSince>;
  /** Call after a write that may have made an event. Cheap: any number of calls cause one poll. */
  wake(): void;
  findRecovery(callerId: CallerId, id: string): ReturnType<typeof selectRecovery>;
  /** Counts one send of a user in the window that the dispatchers use. */
  countSend(userId: string): ReturnType<typeof grantSend>;
  /** Releases the deliveries that a lost node has claimed, and looks for events that it has not turned into deliveries. */
  releaseNode(node: string): Promise<void>;
  /** Due work that is not done yet, for monitoring. */
  findBacklog(): ReturnType<typeof selectBacklogByClass>;
}

export function openWebhooks(options: WebhooksOptions): WebhookModule {
  const times = { ...TIMES, ...options.times };
  const work = new WorkNotifier(options);
  const tools = buildTools(options, work);
  const feedWaits = new FeedWaits({ ...tools, wakeUp: work.wakeUps.feeds, everyMs: times.feedPollMs });

  return {
    workers: createWorkers(options, { tools, work, times }),
    nodeWorkers: [feedWaits.worker, ...work.workers],
    feedWaits,
    wake: () => {
      work.wakeUps.events.trigger();
      work.eventNotice.add();
    },
    testWebhook: testWebhook.bind(null, tools),
    retryDelivery: retryDelivery.bind(null, tools),
    sendNow: sendNow.bind(null, tools),
    regenerateSecret: regenerateSecret.bind(null, tools),
    revokePreviousSecrets: revokePreviousSecrets.bind(null, tools),
    testFilter: testFilter.bind(null, tools),
    replay: async (call) => {
      const replayed = await replay(tools, call);
      work.notifyAll("deliveries");
      return replayed;
    },
    recoverSince: async (call) => {
      const recovery = await recoverSince(tools, call);
      work.notifyAll("recoveries");
      return recovery;
    },
    findRecovery: (callerId, id) => selectRecovery(tools.pool, callerId, id),
    countSend: (userId) => grantSend(tools.pool, userId, tools.sendLimit),
    releaseNode: async (node) => {
      work.notifyAll("events");
      await releaseClaimRange(tools.pool, claimRangeOf(node));
      work.notifyAll("deliveries");
    },
    findBacklog: () => selectBacklogByClass(tools.pool),
  };
}

function buildTools(options: WebhooksOptions, work: WorkNotifier): WebhookTools {
  const { database, commits, outbound, settings, observer, clock } = options;
  return {
    pool: database.service,
    commits,
    outbound,
    observer,
    clock,
    random: options.random ?? Math.random,
    newClaim: createClaims(options.node ?? randomUUID()),
    schedule: settings.webhookRetrySchedule,
    disableRule: DISABLE_RULE,
    sendLimit: settings.limitWebhooks,
    onFeedEvents: () => work.notifyAll("feeds"),
    traceSource: options.traceSource ?? null,
  };
}

interface WorkerParts {
  readonly tools: WebhookTools;
  readonly work: WorkNotifier;
  readonly times: typeof TIMES;
}

function createWorkers(
  { settings, ownerUrl = null }: WebhooksOptions,
  { tools, work, times }: WorkerParts,
): readonly Worker[] {
  const { wakeUps, eventNotice } = work;
  return [
    createDispatcher(tools, {
      wakeUp: wakeUps.deliveries,
      eventWakeUp: wakeUps.events,
      eventNotice,
      leaseMs: times.leaseMs,
      pollMs: times.dispatchPollMs,
      eventPollMs: times.fanOutPollMs,
      concurrency: settings.webhookConcurrency,
      endpointConcurrency: settings.webhookEndpointConcurrency,
      stopTimeoutMs: settings.stopTimeoutMs * STOP_SHARE,
      onDeliveries: () => work.notifyAll("deliveries"),
      onMoreEvents: () => work.notifyOthers("events"),
    }),
    createRecoveryWorker(tools, {
      wakeUp: wakeUps.recoveries,
      pollMs: times.recoveryPollMs,
      onDeliveries: () => work.notifyAll("deliveries"),
    }),
    createWebhookHousekeeping(tools, {
      intervalMs: times.housekeepingIntervalMs,
      retentionDays: settings.webhookRetentionDays,
      queueLimit: settings.webhookQueueLimit,
      ownerUrl,
      onResumed: () => work.notifyAll("events"),
    }),
  ];
}

/** Wakes the workers of this node, and other nodes for what this one leaves; is woken by them. */
class WorkNotifier {
  readonly wakeUps = {
    events: new WakeUp(),
    deliveries: new WakeUp(),
    recoveries: new WakeUp(),
    feeds: new WakeUp(),
  } satisfies Record<Work, WakeUp>;
  /** Tells other nodes of events that wait too long here. */
  readonly eventNotice = new WorkNotice(() => this.notifyOthers("events"));
  readonly #channel: NotificationChannel | null;

  constructor({ listenUrl, observer }: Pick<WebhooksOptions, "listenUrl" | "observer">) {
    if (listenUrl === null) {
      this.#channel = null;
      return;
    }
    this.#channel = createNotificationChannel({
      url: listenUrl,
      channel: "swarmbase_webhooks",
      applicationName: "swarmbase-webhooks",
      // Notifications may have been missed before the connect.
      onListening: () => this.#wakeAll(),
      onNotification: (payload) => (isWork(payload) ? this.wakeUps[payload].trigger() : this.#wakeAll()),
      onLost: (error) => observer.note("webhook.relay_lost", { error }),
    });
  }

  get workers(): readonly Worker[] {
    return this.#channel === null ? [] : [{ name: "webhook-relay", run: this.#channel.run }];
  }

  notifyAll(work: Work): void {
    this.wakeUps[work].trigger();
    this.notifyOthers(work);
  }

  notifyOthers(work: Work): void {
    this.#channel?.notify(work);
  }

  #wakeAll(): void {
    for (const wakeUp of Object.values(this.wakeUps)) wakeUp.trigger();
  }
}

function isWork(payload: string): payload is Work {
  return WORK.some((work) => work === payload);
}
