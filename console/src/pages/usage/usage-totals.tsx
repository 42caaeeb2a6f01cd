import type { UsageSums } from "../../data/usage.ts";
import { formatCompact, formatCount, formatMoney, formatPercent } from "../../components/formats.ts";
import { Stat } from "../../components/stat.tsx";

export interface UsageTotalsProps {
  readonly total: UsageSums;
  readonly today: UsageSums;
  readonly days: number;
}

const CENT = 0.01;

/** Rounds to cents, except amounts below one cent. */
function roundCents(dollars: number): number {
  return dollars < CENT ? dollars : Math.round(dollars / CENT) * CENT;
}

export function UsageTotals({ total, today, days }: UsageTotalsProps) {
  const { turns, input, cached, output, cost } = total;
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label="Cost"
        value={cost === null ? "unknown" : formatMoney(cost)}
        note={cost === null ? "the models have no price" : `${formatMoney(roundCents(cost / days))} a day`}
      />
      <Stat
        label="Tokens read"
        value={formatCompact(input)}
        note={cached === 0 ? "by the models" : `${formatPercent(cached / input)} from cache`}
      />
      <Stat label="Tokens written" value={formatCompact(output)} note="by the models" />
      <Stat label="Turns" value={formatCount(turns)} note={`${formatCount(today.turns)} today`} />
    </div>
  );
}
