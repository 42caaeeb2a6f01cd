import type { Recovery } from "../../../data/recoveries.ts";
import { formatCount, formatExact } from "../../../components/formats.ts";
import { ProgressBar } from "../../../components/progress-bar.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";

export function RecoveryProgress({ recovery }: { readonly recovery: Recovery }) {
  const { since, until, status, found, recovered, created_at } = recovery;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium">
          From {formatExact(since)} to {formatExact(until)}
        </span>
        <StatusBadge status={status} />
      </div>
      <ProgressBar label="Recovered deliveries" value={Math.min(recovered, found)} max={found} />
      <div className="flex flex-wrap justify-between gap-2 text-sm text-ink-faint tabular-nums">
        <span>
          {formatCount(recovered)} of {formatCount(found)} recovered
        </span>
        <RelativeTime at={created_at} />
      </div>
    </div>
  );
}
