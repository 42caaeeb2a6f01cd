import { clsx } from "clsx";
import { Bot, Clock, Hourglass, ListTree, Sparkles, Wrench } from "lucide-react";
import { TONE_BACKGROUNDS } from "../../components/status-dot.tsx";
import { formatDuration, formatMoney, formatUsage } from "../../components/formats.ts";
import { findCriticalPath, type Span, waitOf } from "./lay-out-trace.ts";
import { createTimeScale, type TimeScale } from "./time-scale.ts";

interface WaterfallProps {
  readonly spans: readonly Span[];
  readonly selected: string | null;
  onSelect(key: string): void;
}

const ICONS = {
  queue: Clock,
  turn: Bot,
  selection: ListTree,
  model: Sparkles,
  tool: Wrench,
  approval: Hourglass,
} as const;

const KIND_LABELS = {
  queue: "",
  turn: "Turn of",
  selection: "",
  model: "Model call",
  tool: "Tool call",
  approval: "Approval of",
} as const;

/** What the colours of bars mean. */
const LEGEND = [
  ["h-2.5 bg-responding", "Model call"],
  ["h-2.5 bg-responding opacity-35", "until its first token"],
  ["h-2.5 bg-accent", "Tool call"],
  ["h-2.5 bg-thinking", "Wait"],
  ["h-2.5 bg-bad", "Failed"],
  ["h-0.5 bg-ink", "Critical path: what the end waited for"],
] as const;

/** The parts of a run as bars over time. Each opens its details. */
export function Waterfall({ spans, selected, onSelect }: WaterfallProps) {
  const scale = createTimeScale(spans);
  const path = findCriticalPath(spans);
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface shadow-1">
      <div className="grid gap-2 px-4 pt-3.5 pb-2">
        <h2 className="text-lg font-semibold">Trace</h2>
        <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
          {LEGEND.map(([style, meaning]) => (
            <li key={meaning} className="flex items-center gap-1.5">
              <span aria-hidden className={clsx("w-4 rounded-xs", style)} />
              {meaning}
            </li>
          ))}
        </ul>
        <p className="text-sm text-ink-soft tabular-nums">
          The critical path has {describePath(spans, path, scale)}.
          {scale.breaks.length > 0 &&
            ` Dashed lines mark waits that are drawn shorter: ${scale.breaks.map(({ durationMs }) => formatDuration(durationMs)).join(", ")}.`}
        </p>
      </div>
      <div className={clsx(COLUMNS, "border-t border-line pt-1.5 text-xs text-ink-faint")} aria-hidden>
        <span className="relative col-span-2 h-4 sm:col-span-1 sm:col-start-2">
          {scale.ticks.map(({ at, sinceMs }) => (
            <span
              key={at}
              className="absolute border-l border-line-strong pl-1 whitespace-nowrap"
              style={{ left: `${at * 100}%` }}
            >
              {sinceMs === 0 ? "0" : formatDuration(sinceMs)}
            </span>
          ))}
        </span>
        <span className="hidden text-right sm:block">Time, cost</span>
      </div>
      <ol aria-label="Trace" className="py-1">
        {spans.map((span) => (
          <li key={span.key}>
            <SpanRow
              span={span}
              scale={scale}
              isCritical={path.has(span.key)}
              isSelected={span.key === selected}
              onSelect={() => onSelect(span.key)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** On a phone, a bar is below its name. */
const COLUMNS =
  "grid w-full grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 px-4 sm:grid-cols-[minmax(0,18rem)_minmax(0,1fr)_5.5rem]";

const PATH_PARTS = { selection: "model calls", model: "model calls", tool: "tools", queue: "waits", approval: "waits" };

/** "1.2 s of model calls, 20 ms of tools" */
function describePath(spans: readonly Span[], path: ReadonlyMap<string, number>, whole: TimeScale): string {
  const otherMs = [...path.values()].reduce((rest, ms) => rest - ms, whole.untilMs - whole.fromMs);
  const sums = new Map(otherMs < 1 ? [] : [["the service itself", otherMs]]);
  for (const { key, kind } of spans) {
    const part = kind === "turn" ? "" : PATH_PARTS[kind];
    if (path.has(key)) sums.set(part, (sums.get(part) ?? 0) + (path.get(key) ?? 0));
  }
  return [...sums]
    .toSorted(([, one], [, other]) => other - one)
    .map(([part, ms]) => `${formatDuration(ms)} of ${part}`)
    .join(", ");
}

interface SpanRowProps {
  readonly span: Span;
  readonly scale: TimeScale;
  readonly isCritical: boolean;
  readonly isSelected: boolean;
  onSelect(): void;
}

function SpanRow({ span, scale, isCritical, isSelected, onSelect }: SpanRowProps) {
  const { kind, depth, name, note, error, fromMs, untilMs, tookMs, costUsd, firstTokenMs, tone, part } = span;
  const Icon = ICONS[kind];
  const left = scale.place(fromMs) * 100;
  const width = scale.place(untilMs) * 100 - left;
  const isPart = kind === "model" || kind === "tool" || kind === "approval";
  const waitedMs = waitOf(span);
  const facts = [
    note,
    part !== null && "attempt" in part && formatUsage(part),
    waitedMs !== null && `waited ${formatDuration(waitedMs)}`,
  ];
  const line = facts.filter(Boolean).join(" · ");
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onSelect}
      className={clsx(COLUMNS, "py-1.5 text-left -outline-offset-2 hover:bg-hover", isSelected && "bg-hover")}
    >
      <span className="flex min-w-0 gap-2" style={{ paddingLeft: `${depth}rem` }}>
        <Icon className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
        <span className="grid min-w-0 wrap-anywhere">
          <span className={isPart ? "font-mono text-sm" : "font-medium"}>
            <span className="sr-only">{KIND_LABELS[kind]} </span>
            {name}
          </span>
          {line !== "" && <span className="text-xs text-ink-faint tabular-nums">{line}</span>}
          {error !== null && <span className="text-xs text-bad">{error}</span>}
        </span>
      </span>
      <span className="grid content-start text-right text-sm whitespace-nowrap text-ink-soft tabular-nums sm:order-last">
        {formatDuration(tookMs)}
        {costUsd !== null && <span className="text-xs text-ink-faint">{formatMoney(costUsd)}</span>}
        {firstTokenMs !== null && <span className="sr-only"> first token after {formatDuration(firstTokenMs)}</span>}
        {isCritical && <span className="sr-only"> on the critical path</span>}
      </span>
      <span className="relative col-span-2 block h-5 sm:col-span-1" aria-hidden>
        {scale.ticks.map(({ at }) => (
          <span key={at} className="absolute inset-y-0 border-l border-line" style={{ left: `${at * 100}%` }} />
        ))}
        {scale.breaks.map(({ at }) => (
          <span
            key={at}
            className="absolute inset-y-0 border-l border-dashed border-line-strong"
            style={{ left: `${at * 100}%` }}
          />
        ))}
        <Bar span={span} scale={scale} className={clsx(TONE_BACKGROUNDS[tone], kind === "turn" && "opacity-45")} />
        {isCritical && (
          <span className="absolute bottom-0 h-0.5 min-w-0.5 bg-ink" style={{ left: `${left}%`, width: `${width}%` }} />
        )}
      </span>
    </button>
  );
}

interface BarProps extends Pick<SpanRowProps, "span" | "scale"> {
  readonly className: string;
}

/** The wait for the first token is paler than the answer. */
function Bar({ span, scale, className }: BarProps) {
  const { fromMs, untilMs, firstTokenMs, kind } = span;
  const left = scale.place(fromMs);
  const right = scale.place(untilMs);
  const middle = firstTokenMs === null ? left : Math.min(right, scale.place(fromMs + firstTokenMs));
  const height = kind === "turn" ? "inset-y-1.5" : "inset-y-1";
  return (
    <>
      {middle > left && (
        <span
          className={clsx("absolute rounded-l-sm opacity-35", height, className)}
          style={{ left: `${left * 100}%`, width: `${(middle - left) * 100}%` }}
        />
      )}
      <span
        className={clsx("absolute min-w-0.5 rounded-sm", height, className)}
        style={{ left: `${Math.min(middle, 0.995) * 100}%`, width: `${(right - middle) * 100}%` }}
      />
    </>
  );
}
