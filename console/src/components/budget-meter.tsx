import { formatPercent } from "./formats.ts";

interface BudgetMeterProps {
  readonly name: string;
  readonly used: number;
  readonly budget: number;
  format(value: number): string;
}

const WARNING_SHARE = 0.8;

/** What is used of a daily budget. */
export function BudgetMeter({ name, used, budget, format }: BudgetMeterProps) {
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
