import type { UsageSums } from "../../data/usage.ts";
import { formatCompact, formatMoney } from "../../components/formats.ts";

export const MEASURES = ["tokens", "cost"] as const;
export type Measure = (typeof MEASURES)[number];

export function measureOf(sums: UsageSums, measure: Measure): number {
  switch (measure) {
    case "tokens":
      return sums.input + sums.output;
    case "cost":
      return sums.cost ?? 0;
  }
}

export function formatOf(measure: Measure): (value: number) => string {
  switch (measure) {
    case "tokens":
      return formatCompact;
    case "cost":
      return formatMoney;
  }
}

export function addUp(all: readonly UsageSums[]): UsageSums {
  const sum = (of: (sums: UsageSums) => number) => all.reduce((total, sums) => total + of(sums), 0);
  const priced = all.filter(({ cost }) => cost !== null);
  return {
    turns: sum(({ turns }) => turns),
    input: sum(({ input }) => input),
    cached: sum(({ cached }) => cached),
    output: sum(({ output }) => output),
    cost: priced.length === 0 && all.length > 0 ? null : sum(({ cost }) => cost ?? 0),
  };
}
