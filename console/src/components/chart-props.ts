export interface ChartSeries {
  readonly label: string;
  /** A token: "--accent", "--good". */
  readonly color: `--${string}`;
  /** One for each time; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly kind?: "line" | "area" | "bars";
}

export interface ChartProps {
  /** What the chart shows, as its accessible name. */
  readonly label: string;
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  format(value: number): string;
  /** Stacks the bars. */
  readonly isStacked?: boolean;
  readonly height?: number;
  /** A horizontal line at a value, such as a budget. */
  readonly mark?: { readonly label: string; readonly value: number };
  /** Formats a time of the x axis; the default shows date and time. */
  formatTime?(seconds: number): string;
}
