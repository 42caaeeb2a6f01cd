import type { SwarmStatus } from "@swarmbase/sdk";
import { Badge } from "../../components/badge.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { STATUS_LABELS } from "./labels.ts";

/** `StatusBadge` has no status for paused swarms. */
export function SwarmStatusBadge({ status }: { readonly status: SwarmStatus }) {
  if (status === "paused")
    return (
      <Badge tone="thinking">
        <span aria-hidden className="flex gap-0.5">
          <span className="h-2 w-0.5 rounded-full bg-current" />
          <span className="h-2 w-0.5 rounded-full bg-current" />
        </span>
        {STATUS_LABELS.paused}
      </Badge>
    );
  return <StatusBadge status={status} word={STATUS_LABELS[status]} />;
}
