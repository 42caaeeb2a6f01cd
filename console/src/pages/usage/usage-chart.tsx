import { useMemo } from "react";
import type { UsageDay, UsageReport, UsageSplit } from "../../data/usage.ts";
import { Chart } from "../../components/chart.tsx";
import type { ChartSeries } from "../../components/chart-props.ts";
import { formatOf, type Measure, measureOf } from "./measure.ts";
import { formatDay, secondsOf } from "./range.ts";
import { GONE_LABELS } from "./split-labels.ts";

interface UsageChartProps {
  readonly report: UsageReport;
  readonly days: readonly string[];
  readonly split: UsageSplit;
  readonly measure: Measure;
  /** The daily budget; null without a limit. */
  readonly budget: number | null;
}

const COLORS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5"] as const;
/** The budget line is omitted if the budget exceeds the highest day by more than this factor, because it would flatten the bars. */
const MAX_BUDGET_RATIO = 3;
const HEIGHT = 260;

export function UsageChart({ report, days, split, measure, budget }: UsageChartProps) {
  const times = useMemo(() => days.map(secondsOf), [days]);
  const series = useMemo(() => buildSeries(report, { days, split, measure }), [report, days, split, measure]);
  const highest = Math.max(0, ...report.days.map((day) => measureOf(day, measure)));
  const isNear = budget !== null && budget <= highest * MAX_BUDGET_RATIO;
  return (
    <Chart
      label={measure === "tokens" ? "Tokens each day" : "Cost each day"}
      times={times}
      series={series}
      format={formatOf(measure)}
      formatTime={formatDay}
      height={HEIGHT}
      isStacked
      {...(isNear && { mark: { label: `Daily budget, ${formatOf(measure)(budget)}`, value: budget } })}
    />
  );
}

function buildSeries(
  report: UsageReport,
  { days, split, measure }: Pick<UsageChartProps, "days" | "split" | "measure">,
): readonly ChartSeries[] {
  const valuesOf = (rows: readonly UsageDay[]): number[] => {
    const byDay = new Map(rows.map((row) => [row.day, measureOf(row, measure)]));
    return days.map((day) => byDay.get(day) ?? 0);
  };
  const named = report.daysOfShares.map((rows, index) => ({
    label: nameUniquely(report, index) ?? GONE_LABELS[split],
    color: COLORS[index] ?? COLORS[0],
    kind: "bars" as const,
    values: valuesOf(rows),
  }));
  const totals = valuesOf(report.days);
  const rest = totals.map((total, index) =>
    Math.max(
      0,
      named.reduce((left, { values }) => left - (values[index] ?? 0), total),
    ),
  );
  // Ignores rounding differences.
  const hasRest = rest.some((value, index) => value > (totals[index] ?? 0) / 1_000);
  const others: ChartSeries = { label: "All others", color: "--series-rest", kind: "bars", values: rest };
  return hasRest ? [...named, others] : named;
}

/** Numbers repeated names, because two agents can have the same name. */
function nameUniquely({ shares }: UsageReport, index: number): string | null {
  const name = shares[index]?.name ?? null;
  if (name === null) return null;
  const before = shares.slice(0, index).filter((share) => share.name === name).length;
  return before === 0 ? name : `${name} (${before + 1})`;
}
