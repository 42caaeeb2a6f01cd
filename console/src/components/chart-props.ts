export interface ChartSeries {
  readonly label: string;
  /** A token: "--accent", "--good". */
  readonly color: `--${string}`;
  /** One for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly kind?: "line" | "area" | "bars";
}

export interface ChartProps {
  /** What the chart shows, in a sentence that stands for it. */
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  format(value: number): string;
  /** Bars upon each other rather than beside: values add up. */
  readonly isStacked?: boolean;
  readonly height?: number;
  /** The end of the scale, where it is known: 1 for shares. Otherwise it follows the values. */
  readonly top?: number;
  /** A line across, for what values are measured against: a budget. */
  readonly mark?: { readonly label: string; readonly value: number };
  /** A time of the chart in words, where it is less than a moment: the day. */
  formatTime?(seconds: number): string;
}
