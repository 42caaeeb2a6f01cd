type Values = readonly (number | null)[];

/** Replaces each series by the sum of itself and all following ones, so that each stays visible when they are drawn in order. */
export function stackSeries(series: readonly Values[]): Values[] {
  const stacked: Values[] = [];
  let below: Values = [];
  for (const values of series.toReversed()) {
    const sums: Values = values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    stacked.unshift(sums);
    below = sums;
  }
  return stacked;
}
