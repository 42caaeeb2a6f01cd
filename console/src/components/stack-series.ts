type Values = readonly (number | null)[];

/** Each series becomes the sum of itself and all after it, so that drawing them in order leaves every one in sight. */
export function stackSeries(series: readonly Values[]): Values[] {
  const stacked: Values[] = [];
  let below: Values = [];
  for (const values of series.toReversed()) {
    const sums: Values = values.map((value, at) => (value ?? 0) + (below[at] ?? 0));
    stacked.unshift(sums);
    below = sums;
  }
  return stacked;
}
