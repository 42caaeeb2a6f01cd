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
import { createRecoveryWorker } from "./recovery-worker.ts";
import { createRelay } from "./relay.ts";
import type { Recovery } from "./sql/recoveries.ts";
import { type CountedSend, grantSend } from "./sql/send-windows.ts";
import { type BacklogRow, selectBacklog } from "./sql/select-backlog.ts";
import type { ReplayedDelivery } from "./sql/replay-event.ts";
import type { WebhookTools } from "./webhook-options.ts";

export interface WebhookTimes {
  /** How long a delivery is ours without a sign of life. */
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
  /** The database without a pooler in between, signed in as any role; null: nodes find work of others by looking. */
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
  /** Those of them that a node needs which leaves the work to others: it tells them of it. */
  readonly links: readonly Worker[];
  /** Something was written that may have made an event. Cheap: any number of calls make one look. */
  wake(): void;
  testWebhook(call: TestWebhookCall): Promise<AttemptNow>;
  retryDelivery(call: RetryDeliveryCall): Promise<AttemptNow>;
  regenerateSecret(call: RegenerateSecretCall): Promise<RegeneratedSecret>;
  /** Returns how many replaced secrets still signed. */
  revokePreviousSecrets(call: RevokePreviousSecretsCall): Promise<number>;
  replay(call: ReplayCall): Promise<ReplayedDelivery[]>;
  recoverSince(call: RecoverSinceCall): Promise<Recovery>;
  findRecovery(callerId: CallerId, id: string): Promise<Recovery | null>;
  /** Counts one send of a user, together with those of the dispatchers. */
  countSend(userId: string): Promise<CountedSend>;
  /** What is due and has not been made, for whoever watches over it. */
  findBacklog(): Promise<readonly BacklogRow[]>;
}

/** Stopping leaves requests in flight this share of the time that the whole service has for it. */
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
  const ringAll = (): void => {
    events.trigger();
    deliveries.trigger();
    recoveries.trigger();
  };
  const relay = listenUrl === null ? null : createRelay({ listenUrl, observer, onNotice: ringAll });
  const onDeliveries = (): void => deliveries.trigger();
  const announce = (wakeUp: WakeUp): void => {
    wakeUp.trigger();
    relay?.announce();
  };

  const dispatcher = createDispatcher(tools, {
    wakeUp: deliveries,
    leaseMs: times.leaseMs,
    pollMs: times.dispatchPollMs,
    concurrency: settings.webhookConcurrency,
    endpointConcurrency: settings.webhookEndpointConcurrency,
    stopTimeoutMs: settings.stopTimeoutMs * STOP_SHARE,
  });

  const links = relay === null ? [] : [relay.worker];
  return {
    workers: [
      createFanOut(tools, { wakeUp: events, pollMs: times.fanOutPollMs, intake: dispatcher.intake, onDeliveries }),
      dispatcher.worker,
      createRecoveryWorker(tools, { wakeUp: recoveries, pollMs: times.recoveryPollMs, onDeliveries }),
      createHousekeeping(tools, {
        intervalMs: times.housekeepingIntervalMs,
        retentionDays: settings.webhookRetentionDays,
        queueLimit: settings.webhookQueueLimit,
        onResumed: () => announce(events),
      }),
      ...links,
    ],
    links,
    wake: () => announce(events),
    testWebhook: (call) => testWebhook(tools, call),
    retryDelivery: (call) => retryDelivery(tools, call),
    regenerateSecret: (call) => regenerateSecret(tools, call),
    revokePreviousSecrets: (call) => revokePreviousSecrets(tools, call),
    replay: async (call) => {
      const replayed = await replay(tools, call);
      announce(deliveries);
      return replayed;
    },
    recoverSince: async (call) => {
      const recovery = await recoverSince(tools, call);
      announce(recoveries);
      return recovery;
    },
    findRecovery: (callerId, id) => findRecovery(tools, callerId, id),
    countSend: (userId) => grantSend(tools.pool, userId, tools.sendLimit),
    findBacklog: () => selectBacklog(tools.pool),
  };
}
