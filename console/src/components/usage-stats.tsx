import type { EventUsage } from "@swarmbase/sdk";
import { formatCount, formatMoney, formatUsage } from "./formats.ts";
import { Stat } from "./stat.tsx";

/** Tokens and cost of a run; null until they are known. */
export function UsageStats({ usage }: { readonly usage: EventUsage | null }) {
  const cost = usage?.cost_usd ?? null;
  return (
    <>
      <Stat
        label="Tokens"
        value={usage === null ? "–" : formatCount(usage.total_tokens)}
        {...(usage !== null && { note: formatUsage(usage) })}
      />
      <Stat
        label="Cost"
        value={cost === null ? "–" : formatMoney(cost)}
        {...(usage?.estimated === true && { note: "estimated" })}
      />
    </>
  );
}
