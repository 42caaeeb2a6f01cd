import { useState } from "react";
import { useFailedIn, useRecoverSince, useRecoveries } from "../../../data/recoveries.ts";
import type { Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { formatCount, formatExact } from "../../../components/formats.ts";
import { Skeleton } from "../../../components/skeleton.tsx";
import { RecoveryProgress } from "./recovery-progress.tsx";

interface RetryRangeProps {
  readonly webhook: Webhook;
  /** ISO 8601; null means from the beginning. */
  readonly since: string | null;
  /** Null means until now. */
  readonly until: string | null;
  onClose(): void;
}

const BEGINNING = new Date(0).toISOString();

/** Sends all failed deliveries of a period again. The service continues when this dialog is closed. */
export function RetryRange({ webhook, since, until, onClose }: RetryRangeProps) {
  const [recoveryId, setRecoveryId] = useState<string | null>(null);
  const from = since ?? BEGINNING;
  const { rows: counted } = useFailedIn(webhook.id, from, until);
  const { rows: recoveries } = useRecoveries(webhook.id);
  const recover = useRecoverSince();
  const running = recoveries?.find(({ status }) => status === "running");
  const begun = recoveries?.find(({ id }) => id === recoveryId) ?? running;
  const count = counted?.[0]?.count;
  const start = async () => {
    const made = await recover.run({ webhookId: webhook.id, since: from, until });
    if (made !== null) setRecoveryId(made.id);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Retry failed deliveries"
      description={describePeriod(since, until)}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          {begun === undefined && (
            <Button
              variant="primary"
              isBusy={recover.isBusy}
              disabled={!webhook.is_active || count === undefined || count === 0}
              onClick={() => void start()}
            >
              {count === undefined || count === 0 ? "Retry" : `Retry ${formatCount(count)}`}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-4">
        {!webhook.is_active && <Banner tone="warning">The webhook is disabled. Enable it first.</Banner>}
        {recover.failure !== null && <Banner tone="bad">{recover.failure.message}</Banner>}
        {begun === undefined ? (
          <p role="status">{count === undefined ? <Skeleton className="h-5 w-40" /> : describeCount(count)}</p>
        ) : (
          <>
            <RecoveryProgress recovery={begun} />
            <p className="text-sm text-ink-soft">
              The service sends them in batches, and new deliveries first. You can close this page; the tab Recovery
              shows the progress.
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}

function describePeriod(since: string | null, until: string | null): string {
  const to = until === null ? "now" : formatExact(until);
  return since === null ? `Until ${to}.` : `From ${formatExact(since)} to ${to}.`;
}

function describeCount(count: number): string {
  if (count === 0) return "No delivery of this period has failed.";
  return `${formatCount(count)} ${count === 1 ? "delivery has" : "deliveries have"} failed. Each gets a new schedule of retries.`;
}
