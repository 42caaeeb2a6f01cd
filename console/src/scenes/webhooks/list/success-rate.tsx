import type { Health } from "../../../data/webhook-health.ts";
import { formatCount, formatPercent } from "../../../parts/formats.ts";

/** The share of finished deliveries that arrived; null when none has finished. */
export function rateOf({ delivered, failed }: Health): number | null {
  const finished = delivered + failed;
  return finished === 0 ? null : delivered / finished;
}

export function SuccessRate({ health }: { readonly health: Health }) {
  const rate = rateOf(health);
  if (rate === null)
    return (
      <span className="text-ink-faint">{health.waiting > 0 ? `${formatCount(health.waiting)} waiting` : "None"}</span>
    );
  return (
    <span className="inline-flex items-center gap-2.5">
      <span aria-hidden className="flex h-1.5 w-14 gap-px overflow-hidden rounded-full bg-bad">
        <span className="bg-good" style={{ width: `${rate * 100}%` }} />
      </span>
      <span className="tabular-nums">
        {formatPercent(rate)} <span className="text-ink-faint">of {formatCount(health.delivered + health.failed)}</span>
      </span>
    </span>
  );
}
