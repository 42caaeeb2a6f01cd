import { useMemo } from "react";
import type { UsageDay, UsageReport, UsageSplit } from "../../data/usage.ts";
import { Chart } from "../../components/chart.tsx";
import type { ChartSeries } from "../../components/chart-props.ts";
import { formatOf, type Measure, measureOf } from "./measure.ts";
import { formatDay, secondsOf } from "./range.ts";
import { GONE_WORDS } from "./split-words.ts";

export interface UsageChartProps {
  readonly report: UsageReport;
  readonly days: readonly string[];
  readonly split: UsageSplit;
  readonly measure: Measure;
  /** What may be used in a day; null when that is not bounded. */
  readonly budget: number | null;
}

const COLORS = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5"] as const;
/** A budget far above what is used would press the bars flat. */
const WORTH_A_LINE = 3;
const HEIGHT = 260;

export function UsageChart({ report, days, split, measure, budget }: UsageChartProps) {
  const times = useMemo(() => days.map(secondsOf), [days]);
  const series = useMemo(() => buildSeries(report, { days, split, measure }), [report, days, split, measure]);
  const most = Math.max(0, ...report.days.map((day) => measureOf(day, measure)));
  const isNear = budget !== null && budget <= most * WORTH_A_LINE;
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
  const named = report.daysOfShares.map((rows, at) => ({
    label: tellApart(report, at) ?? GONE_WORDS[split],
    color: COLORS[at] ?? COLORS[0],
    kind: "bars" as const,
    values: valuesOf(rows),
  }));
  const totals = valuesOf(report.days);
  const rest = totals.map((total, at) =>
    Math.max(
      0,
      named.reduce((left, { values }) => left - (values[at] ?? 0), total),
    ),
  );
  // What is left of sums of fractions is not worth a bar.
  const hasRest = rest.some((value, at) => value > (totals[at] ?? 0) / 1_000);
  const others: ChartSeries = { label: "All others", color: "--series-rest", kind: "bars", values: rest };
  return hasRest ? [...named, others] : named;
}

/** Two agents may have the same name. */
function tellApart({ shares }: UsageReport, at: number): string | null {
  const name = shares[at]?.name ?? null;
  if (name === null) return null;
  const before = shares.slice(0, at).filter((share) => share.name === name).length;
  return before === 0 ? name : `${name} (${before + 1})`;
}
