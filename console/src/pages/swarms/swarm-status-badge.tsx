import type { SwarmStatus } from "@swarmbase/sdk";
import { Badge } from "../../components/badge.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { STATUS_WORDS } from "./words.ts";

/** A pause is the one status that no other thing of the console has. */
export function SwarmStatusBadge({ status }: { readonly status: SwarmStatus }) {
  if (status === "paused")
    return (
      <Badge tone="thinking">
        <span aria-hidden className="flex gap-0.5">
          <span className="h-2 w-0.5 rounded-full bg-current" />
          <span className="h-2 w-0.5 rounded-full bg-current" />
        </span>
        {STATUS_WORDS.paused}
      </Badge>
    );
  return <StatusBadge status={status} word={STATUS_WORDS[status]} />;
}
