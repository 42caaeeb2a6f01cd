import { useMemo } from "react";
import { useAgentUsage } from "../../data/agent-activity.ts";
import type { Row } from "../../data/client.ts";
import { formatCompact, formatCount, formatMoney } from "../../components/formats.ts";
import { Skeleton } from "../../components/skeleton.tsx";
import { Stat } from "../../components/stat.tsx";

const DAY_MS = 86_400_000;
export const USAGE_DAYS = 30;

/** The first day of the range, as a date. */
export function useSince(): string {
  return useMemo(() => new Date(Date.now() - (USAGE_DAYS - 1) * DAY_MS).toISOString().slice(0, 10), []);
}

/** The usage of the agent in the last thirty days. */
export function UsageStats({ agentId }: { readonly agentId: string }) {
  const { rows } = useAgentUsage(agentId, useSince());
  if (rows === undefined)
    return (
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-[5.75rem] rounded-lg" />
        ))}
      </div>
    );
  const total = addUp(rows);
  const note = `last ${USAGE_DAYS} days`;
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      <Stat label="Turns" value={formatCount(total.turns)} note={note} />
      <Stat label="Tokens read" value={formatCompact(total.read)} note={note} />
      <Stat label="Tokens written" value={formatCompact(total.written)} note={note} />
      <Stat
        label="Cost"
        value={total.cost === null ? "unknown" : formatMoney(total.cost)}
        note={total.hasUnpriced && total.cost !== null ? "excluding models without a price" : note}
      />
    </div>
  );
}

interface Total {
  readonly turns: number;
  readonly read: number;
  readonly written: number;
  /** Null where no model that was used has a price. */
  readonly cost: number | null;
  readonly hasUnpriced: boolean;
}

function addUp(rows: readonly Row<"usage_daily">[]): Total {
  const sum = (of: (row: Row<"usage_daily">) => number) => rows.reduce((total, row) => total + of(row), 0);
  const priced = rows.filter(({ cost_usd: cost }) => cost !== null);
  return {
    turns: sum(({ turns }) => turns),
    read: sum(({ input_tokens: read }) => read),
    written: sum(({ output_tokens: written }) => written),
    cost: priced.length === 0 && rows.length > 0 ? null : sum(({ cost_usd: cost }) => cost ?? 0),
    hasUnpriced: priced.length < rows.length,
  };
}
