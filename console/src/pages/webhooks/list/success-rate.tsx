import type { Health } from "../../../data/webhook-health.ts";
import { formatCount, formatPercent } from "../../../components/formats.ts";

/** The share of successful attempts. */
export function SuccessRate({ health: { successRate, attempts, waiting } }: { readonly health: Health }) {
  if (successRate === null)
    return <span className="text-ink-faint">{waiting > 0 ? `${formatCount(waiting)} waiting` : "None"}</span>;
  return (
    <span className="inline-flex items-center gap-2.5">
      <span aria-hidden className="hidden h-1.5 w-14 gap-px sm:flex overflow-hidden rounded-full bg-bad">
        <span className="bg-good" style={{ width: `${successRate * 100}%` }} />
      </span>
      <span className="tabular-nums">
        {formatPercent(successRate)} <span className="text-ink-faint">of {formatCount(attempts)}</span>
      </span>
    </span>
  );
}
