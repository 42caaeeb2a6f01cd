import type { ChartProps } from "./chart-props.ts";

/** The point of the chart under the pointer. */
export interface PointerPosition {
  /** Index into `times`. */
  readonly index: number;
  /** Pixels from the left edge of the plot. */
  readonly left: number;
}

const AXIS_WIDTH = 56;
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The values under the pointer. Hidden from screen readers, because the table has the same values. */
export function ChartReadout({
  pointed,
  times,
  series,
  format,
  formatTime,
}: ChartProps & { readonly pointed: PointerPosition | null }) {
  const time = pointed === null ? undefined : times[pointed.index];
  if (pointed === null || time === undefined) return null;
  const values = series.map(({ label, color, values: all }) => ({ label, color, value: all[pointed.index] ?? null }));
  const shown = values.length > 2 ? values.filter(({ value }) => value !== null && value !== 0) : values;
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-1 z-10 grid min-w-36 gap-1 rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-2"
      style={{
        left: AXIS_WIDTH + pointed.left,
        translate: `${pointed.left < 180 ? "12px" : "calc(-100% - 12px)"} 0`,
      }}
    >
      <span className="font-medium whitespace-nowrap">{formatTime?.(time) ?? moment.format(time * 1_000)}</span>
      {shown.map(({ label, color, value }) => (
        <span key={label} className="flex items-center gap-2 text-ink-soft">
          <span className="size-2 shrink-0 rounded-[2px]" style={{ backgroundColor: `var(${color})` }} />
          <span className="max-w-40 truncate">{label}</span>
          <span className="ml-auto pl-3 text-ink tabular-nums">{value === null ? "–" : format(value)}</span>
        </span>
      ))}
      {shown.length === 0 && <span className="text-ink-faint">Nothing</span>}
    </div>
  );
}
