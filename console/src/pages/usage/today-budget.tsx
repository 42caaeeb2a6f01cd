import type { UsageSums } from "../../data/usage.ts";
import { Card } from "../../components/card.tsx";
import { formatCompact, formatMoney, formatPercent } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";

export interface Budgets {
  readonly tokens: number | null;
  readonly cost: number | null;
}

/** The usage of today relative to the budgets, or a link to set a budget. */
export function TodayBudget({ budgets, today }: { readonly budgets: Budgets; readonly today: UsageSums }) {
  const { tokens, cost } = budgets;
  if (tokens === null && cost === null)
    return (
      <p className="text-sm text-ink-faint">
        Days are in UTC. You have no daily budget, so usage is not limited.{" "}
        <Link to="/account/budgets">Set a budget</Link>
      </p>
    );
  return (
    <Card className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {tokens !== null && (
        <Meter name="Tokens today" used={today.input + today.output} budget={tokens} format={formatCompact} />
      )}
      {cost !== null && <Meter name="Cost today" used={today.cost ?? 0} budget={cost} format={formatMoney} />}
      <p className="text-sm text-ink-faint sm:col-span-2">
        A day begins at midnight UTC. <Link to="/account/budgets">Change the budgets</Link>
      </p>
    </Card>
  );
}

interface MeterProps {
  readonly name: string;
  readonly used: number;
  readonly budget: number;
  format(value: number): string;
}

const WARNING_SHARE = 0.8;

function Meter({ name, used, budget, format }: MeterProps) {
  const share = budget === 0 ? 1 : Math.min(1, used / budget);
  const color = used >= budget ? "bg-bad" : share >= WARNING_SHARE ? "bg-thinking" : "bg-good";
  return (
    <div className="grid gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <span className="font-medium">{name}</span>
        <span className="text-sm text-ink-soft tabular-nums">
          {format(used)} of {format(budget)}
        </span>
      </div>
      <div
        role="meter"
        aria-label={name}
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={`${formatPercent(share)} of the daily budget`}
        className="h-2 overflow-hidden rounded-full bg-line"
      >
        <div className={`h-full rounded-full ${color}`} style={{ width: `${share * 100}%` }} />
      </div>
      {used >= budget && (
        <p className="text-sm text-bad">The budget is used up. Agents answer again tomorrow, or when you raise it.</p>
      )}
    </div>
  );
}
