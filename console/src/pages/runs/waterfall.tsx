import { clsx } from "clsx";
import { Bot, Clock, Hourglass, ListTree, Sparkles, Wrench } from "lucide-react";
import { TONE_BACKGROUNDS } from "../../components/status-dot.tsx";
import { formatDuration } from "../../components/formats.ts";
import type { Span } from "./lay-out-trace.ts";
import { createTimeScale, type TimeScale } from "./time-scale.ts";

export interface WaterfallProps {
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

/** The parts of a run as bars over time. Each opens its details. */
export function Waterfall({ spans, selected, onSelect }: WaterfallProps) {
  const scale = createTimeScale(spans);
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface shadow-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 pt-3.5 pb-2">
        <h2 className="text-lg font-semibold">Trace</h2>
        <p className="text-sm text-ink-faint tabular-nums">{formatDuration(scale.untilMs - scale.fromMs)} in all</p>
      </div>
      {scale.breaks.length > 0 && (
        <p className="px-4 pb-2 text-sm text-ink-faint">
          Dashed lines mark waits that are drawn shorter:{" "}
          {scale.breaks.map(({ durationMs }) => formatDuration(durationMs)).join(", ")}.
        </p>
      )}
      <ol aria-label="Trace" className="border-t border-line py-1">
        {spans.map((span) => (
          <li key={span.key}>
            <SpanRow span={span} scale={scale} isSelected={span.key === selected} onSelect={() => onSelect(span.key)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface SpanRowProps {
  readonly span: Span;
  readonly scale: TimeScale;
  readonly isSelected: boolean;
  onSelect(): void;
}

function SpanRow({ span, scale, isSelected, onSelect }: SpanRowProps) {
  const { kind, depth, name, note, fromMs, untilMs, firstTokenMs, tone } = span;
  const Icon = ICONS[kind];
  const took = formatDuration(untilMs - fromMs);
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      onClick={onSelect}
      className={clsx(
        "grid w-full grid-cols-[minmax(0,1fr)_5.5rem] items-center gap-x-3 gap-y-1 px-4 py-1.5 text-left -outline-offset-2 hover:bg-hover",
        "sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)_5.5rem]",
        isSelected && "bg-hover",
      )}
    >
      <span className="flex min-w-0 items-center gap-2" style={{ paddingLeft: `${depth}rem` }}>
        <Icon className="size-4 shrink-0 text-ink-faint" aria-hidden />
        <span
          className={clsx(
            "truncate",
            kind === "model" || kind === "tool" || kind === "approval" ? "font-mono text-sm" : "font-medium",
            // An error message shrinks before the name.
            note === null ? "min-w-0" : "max-w-4/5 shrink-0",
          )}
        >
          <span className="sr-only">{KIND_LABELS[kind]} </span>
          {name}
        </span>
        {note !== null && <span className="min-w-0 truncate text-xs text-ink-faint">{note}</span>}
      </span>
      <span className="text-right text-sm whitespace-nowrap text-ink-soft tabular-nums sm:order-last">
        {took}
        {firstTokenMs !== null && <span className="sr-only"> first token after {formatDuration(firstTokenMs)}</span>}
      </span>
      <span className="relative col-span-2 block h-4 sm:col-span-1" aria-hidden>
        {scale.breaks.map(({ at }) => (
          <span
            key={at}
            className="absolute inset-y-0 border-l border-dashed border-line-strong"
            style={{ left: `${at * 100}%` }}
          />
        ))}
        <Bar span={span} scale={scale} className={clsx(TONE_BACKGROUNDS[tone], kind === "turn" && "opacity-45")} />
      </span>
    </button>
  );
}

/** The wait for the first token is paler than the answer. */
function Bar({
  span,
  scale,
  className,
}: {
  readonly span: Span;
  readonly scale: TimeScale;
  readonly className: string;
}) {
  const { fromMs, untilMs, firstTokenMs, kind } = span;
  const left = scale.place(fromMs);
  const right = scale.place(untilMs);
  const middle = firstTokenMs === null ? left : Math.min(right, scale.place(fromMs + firstTokenMs));
  const height = kind === "turn" ? "inset-y-1" : "inset-y-0.5";
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
