import type { ChartProps } from "./chart-props.ts";

/** Where the pointer is. */
export interface Pointed {
  /** The place among the times. */
  readonly at: number;
  /** From the left end of what is drawn. */
  readonly left: number;
}

const AXIS_WIDTH = 56;
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** The values under the pointer. What it says is in the table too, so that it is for eyes alone. */
export function ChartReadout({
  pointed,
  times,
  series,
  format,
  formatTime,
}: ChartProps & { readonly pointed: Pointed | null }) {
  const time = pointed === null ? undefined : times[pointed.at];
  if (pointed === null || time === undefined) return null;
  const values = series.map(({ label, color, values: all }) => ({ label, color, value: all[pointed.at] ?? null }));
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
