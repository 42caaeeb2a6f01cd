import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { ChartReadout, type PointerPosition } from "./chart-readout.tsx";
import type { ChartProps, ChartSeries } from "./chart-props.ts";
import { Tooltip } from "./tooltip.tsx";
import { ChartTable } from "./chart-table.tsx";

/** Resolves a CSS variable, which a canvas cannot use. The chart is redrawn when the theme changes. */
function colorOf(element: Element, token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function DrawnChart(props: ChartProps) {
  const { label, times, series, format, isStacked = false, height = 220, mark } = props;
  const markValue = mark?.value;
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<PointerPosition | null>(null);
  const theme = useThemeName();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const columns = series.map(({ values }) => values);
    const drawn = isStacked ? stackSeries(columns) : columns;
    const axis = {
      stroke: colorOf(element, "--ink-faint"),
      grid: { stroke: colorOf(element, "--line"), width: 1 },
      ticks: { show: false },
      font: `11px ${getComputedStyle(element).fontFamily}`,
    };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        // Half of the last label of the x axis lies to the right of the plot.
        padding: [8, 28, 0, 0],
        legend: { show: false },
        cursor: {
          y: false,
          drag: { x: false, y: false },
          points: { show: series.some(({ kind }) => kind !== "bars") },
        },
        scales: {
          x: { range: (_plot, min, max) => withPadding(times, series, min, max) },
          y: { range: (_plot, _min, max) => [0, (Math.max(max, markValue ?? 0) || 1) * 1.1] },
        },
        hooks: {
          setCursor: [(drawnPlot) => setPointed(findPointed(drawnPlot))],
          draw: [(drawnPlot) => drawMark(drawnPlot, markValue, colorOf(element, "--bad"))],
        },
        axes: [
          { ...axis, size: 28, values: (_plot, splits) => splits.map((time) => formatTick(time, times)) },
          {
            ...axis,
            size: (drawnPlot, values) => widthOf(drawnPlot, values, axis.font),
            values: (_plot, splits) => splits.map((value) => format(value)),
          },
        ],
        series: [{}, ...series.map((one) => styleOf(one, element))],
      },
      // Stacked series are drawn from the top down, so that no bar covers the one below it.
      [[...times], ...drawn.map((values) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, format, height, isStacked, markValue, theme]);

  return (
    <figure className="grid grid-cols-1 gap-3">
      <div className="relative">
        <div ref={box} role="img" aria-label={label} style={{ height }} />
        <ChartReadout {...props} pointed={pointed} />
      </div>
      <Legend {...props} />
      <ChartTable {...props} />
    </figure>
  );
}

/** What the names of percentiles mean. */
const PERCENTILES: Readonly<Record<string, string>> = {
  p50: "Half took this long or less.",
  p95: "95% took this long or less.",
};
const MIN_AXIS = 40;
const AXIS_GAP = 16;

/** What the colours mean. */
function Legend({ series, mark }: Pick<ChartProps, "series" | "mark">) {
  return (
    <figcaption className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {series.map(({ label: name, color }) => (
        <span key={name} className="flex max-w-full items-center gap-1.5">
          <span aria-hidden className="size-2.5 shrink-0 rounded-[3px]" style={{ backgroundColor: `var(${color})` }} />
          {PERCENTILES[name] === undefined ? (
            <span className="truncate" title={name}>
              {name}
            </span>
          ) : (
            <Tooltip text={PERCENTILES[name]}>
              <span tabIndex={0} className="rounded-sm underline decoration-dotted underline-offset-3">
                {name}
              </span>
            </Tooltip>
          )}
        </span>
      ))}
      {mark !== undefined && (
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="w-3.5 border-t-2 border-dashed border-bad" />
          {mark.label}
        </span>
      )}
    </figcaption>
  );
}

/** The space that the longest label of the y axis needs. */
function widthOf({ ctx }: UPlot, values: readonly string[] | null, font: string): number {
  ctx.save();
  ctx.font = font;
  const widths = (values ?? []).map((value) => ctx.measureText(value).width);
  ctx.restore();
  return Math.max(MIN_AXIS, Math.ceil(Math.max(0, ...widths)) + AXIS_GAP);
}

function findPointed({ cursor }: UPlot): PointerPosition | null {
  const { idx, left } = cursor;
  return typeof idx === "number" && left !== undefined && left >= 0 ? { index: idx, left } : null;
}

function drawMark(plot: UPlot, value: number | undefined, color: string): void {
  if (value === undefined) return;
  const { ctx, bbox } = plot;
  const y = Math.round(plot.valToPos(value, "y", true));
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function styleOf({ label, color, kind = "line" }: ChartSeries, element: Element): UPlot.Series {
  const stroke = colorOf(element, color);
  const faded = stroke.replace(/^rgb\((.+)\)$/, "rgba($1, 0.14)");
  const paths = kind === "bars" ? UPlot.paths.bars?.({ size: [0.7, 48] }) : undefined;
  return {
    label,
    stroke,
    width: kind === "bars" ? 0 : 2,
    points: { show: false },
    ...(kind === "area" && { fill: faded }),
    ...(kind === "bars" && { fill: stroke }),
    ...(paths !== undefined && { paths }),
  };
}

/** Bars are centred on their time, so the first and the last one need half a step more. */
function withPadding(
  times: readonly number[],
  series: readonly ChartSeries[],
  min: number,
  max: number,
): [number, number] {
  const [first, second] = times;
  if (first === undefined || second === undefined || !series.some(({ kind }) => kind === "bars")) return [min, max];
  const half = (second - first) / 2;
  return [min - half, max + half];
}

const DAY_SECONDS = 86_400;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** The time of day if the chart covers less than two days, otherwise the date. */
function formatTick(time: number, times: readonly number[]): string {
  const isShort = (times.at(-1) ?? 0) - (times[0] ?? 0) < 2 * DAY_SECONDS;
  return (isShort ? clock : calendar).format(time * 1_000);
}

function useThemeName(): string {
  return useSyncExternalStore(
    (notify) => {
      const system = matchMedia("(prefers-color-scheme: dark)");
      const chosen = new MutationObserver(notify);
      system.addEventListener("change", notify);
      chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      return () => {
        system.removeEventListener("change", notify);
        chosen.disconnect();
      };
    },
    () => `${document.documentElement.dataset["theme"] ?? ""}${matchMedia("(prefers-color-scheme: dark)").matches}`,
  );
}

type Values = readonly (number | null)[];

/** Replaces each series by the sum of itself and all following ones, so that each stays visible when they are drawn in order. */
function stackSeries(series: readonly Values[]): Values[] {
  const stacked: Values[] = [];
  let below: Values = [];
  for (const values of series.toReversed()) {
    const sums: Values = values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    stacked.unshift(sums);
    below = sums;
  }
  return stacked;
}
