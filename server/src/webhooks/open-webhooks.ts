import type { Settings } from "../config/index.ts";
import type { Database } from "../db/index.ts";
import type { Observer } from "../observe/index.ts";
import type { Outbound } from "../outbound/index.ts";
import type { Clock } from "../time/index.ts";
import { WakeUp, type Worker } from "../jobs/index.ts";
import type { AttemptNow } from "./calls/attempt-now.ts";
import { findRecovery, type RecoverSinceCall, recoverSince } from "./calls/recover-since.ts";
import { type RegenerateSecretCall, type RegeneratedSecret, regenerateSecret } from "./calls/regenerate-secret.ts";
import { type ReplayCall, replay } from "./calls/replay.ts";
import { type RevokePreviousSecretsCall, revokePreviousSecrets } from "./calls/revoke-previous-secrets.ts";
import { type RetryDeliveryCall, retryDelivery } from "./calls/retry-delivery.ts";
import { type TestWebhookCall, testWebhook } from "./calls/test-webhook.ts";
import type { CallerId } from "./calls/webhook-access.ts";
import { createDispatcher } from "./dispatcher/dispatcher.ts";
import { createFanOut } from "./fan-out.ts";
import { createHousekeeping } from "./housekeeping.ts";
import { createNotifier } from "./notifier.ts";
import { createRecoveryWorker } from "./recovery-worker.ts";
import type { Recovery } from "./sql/recoveries.ts";
import { type CountedSend, grantSend } from "./sql/send-windows.ts";
import { type BacklogRow, selectBacklog } from "./sql/select-backlog.ts";
import type { ReplayedDelivery } from "./sql/replay-event.ts";
import type { WebhookTools } from "./webhook-options.ts";

interface WebhookTimes {
  /** How long a claim lasts unless it is renewed. */
  readonly leaseMs: number;
  readonly fanOutPollMs: number;
  readonly dispatchPollMs: number;
  readonly recoveryPollMs: number;
  readonly housekeepingIntervalMs: number;
}

const TIMES: WebhookTimes = {
  leaseMs: 30_000,
  fanOutPollMs: 250,
  dispatchPollMs: 1_000,
  recoveryPollMs: 5_000,
  housekeepingIntervalMs: 60_000,
};
const DISABLE_RULE = { failingDays: 5, minFailures: 20, warnAfterDays: 1 } as const;

export interface WebhooksOptions {
  readonly database: Pick<Database, "service">;
  readonly outbound: Outbound;
  /** A direct connection to the database without a pooler, as any role; null: nodes find the work of others by polling. */
  readonly listenUrl: string | null;
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
  readonly random?: () => number;
  readonly times?: Partial<WebhookTimes>;
}

export interface WebhookModule {
  readonly workers: readonly Worker[];
  /** The workers that a node without webhook workers still needs, to notify the other nodes of work. */
  readonly links: readonly Worker[];
  /** Call after a write that may have made an event. Cheap: any number of calls cause one poll. */
  wake(): void;
  testWebhook(call: TestWebhookCall): Promise<AttemptNow>;
  retryDelivery(call: RetryDeliveryCall): Promise<AttemptNow>;
  regenerateSecret(call: RegenerateSecretCall): Promise<RegeneratedSecret>;
  /** Returns how many replaced secrets were still valid. */
  revokePreviousSecrets(call: RevokePreviousSecretsCall): Promise<number>;
  replay(call: ReplayCall): Promise<ReplayedDelivery[]>;
  recoverSince(call: RecoverSinceCall): Promise<Recovery>;
  findRecovery(callerId: CallerId, id: string): Promise<Recovery | null>;
  /** Counts one send of a user in the window that the dispatchers use. */
  countSend(userId: string): Promise<CountedSend>;
  /** Due work that is not done yet, for monitoring. */
  findBacklog(): Promise<readonly BacklogRow[]>;
}

/** The share of the stop timeout of the service that requests in flight get to finish. */
const STOP_SHARE = 0.7;

export function openWebhooks(options: WebhooksOptions): WebhookModule {
  const { database, outbound, listenUrl, settings, observer, clock, random = Math.random } = options;
  const times = { ...TIMES, ...options.times };
  const tools: WebhookTools = {
    pool: database.service,
    outbound,
    observer,
    clock,
    random,
    schedule: settings.webhookRetrySchedule,
    disableRule: DISABLE_RULE,
    sendLimit: settings.limitWebhooks,
  };
  const events = new WakeUp();
  const deliveries = new WakeUp();
  const recoveries = new WakeUp();
  const wakeAll = (): void => {
    events.trigger();
    deliveries.trigger();
    recoveries.trigger();
  };
  const notifier = listenUrl === null ? null : createNotifier({ listenUrl, observer, onNotice: wakeAll });
  const onDeliveries = (): void => deliveries.trigger();
  const notifyAll = (wakeUp: WakeUp): void => {
    wakeUp.trigger();
    notifier?.notify();
  };

  const dispatcher = createDispatcher(tools, {
    wakeUp: deliveries,
    leaseMs: times.leaseMs,
    pollMs: times.dispatchPollMs,
    concurrency: settings.webhookConcurrency,
    endpointConcurrency: settings.webhookEndpointConcurrency,
    stopTimeoutMs: settings.stopTimeoutMs * STOP_SHARE,
  });

  const links = notifier === null ? [] : [notifier.worker];
  return {
    workers: [
      createFanOut(tools, {
        wakeUp: events,
        pollMs: times.fanOutPollMs,
        insertClaims: dispatcher.insertClaims,
        onDeliveries,
      }),
      dispatcher.worker,
      createRecoveryWorker(tools, { wakeUp: recoveries, pollMs: times.recoveryPollMs, onDeliveries }),
      createHousekeeping(tools, {
        intervalMs: times.housekeepingIntervalMs,
        retentionDays: settings.webhookRetentionDays,
        queueLimit: settings.webhookQueueLimit,
        onResumed: () => notifyAll(events),
      }),
      ...links,
    ],
    links,
    wake: () => notifyAll(events),
    testWebhook: (call) => testWebhook(tools, call),
    retryDelivery: (call) => retryDelivery(tools, call),
    regenerateSecret: (call) => regenerateSecret(tools, call),
    revokePreviousSecrets: (call) => revokePreviousSecrets(tools, call),
    replay: async (call) => {
      const replayed = await replay(tools, call);
      notifyAll(deliveries);
      return replayed;
    },
    recoverSince: async (call) => {
      const recovery = await recoverSince(tools, call);
      notifyAll(recoveries);
      return recovery;
    },
    findRecovery: (callerId, id) => findRecovery(tools, callerId, id),
    countSend: (userId) => grantSend(tools.pool, userId, tools.sendLimit),
    findBacklog: () => selectBacklog(tools.pool),
  };
}
