import { clsx } from "clsx";
import type { ReactNode } from "react";
import type { Tone } from "./badge.tsx";

export interface TimelineItem {
  readonly key: string;
  readonly title: ReactNode;
  /** At the end of the title's line: a time, a duration. */
  readonly trailing?: ReactNode;
  readonly children?: ReactNode;
  readonly tone?: Tone;
  readonly icon?: ReactNode;
}

const BACKGROUNDS: Readonly<Record<Tone, string>> = {
  neutral: "bg-idle-soft text-ink-soft",
  accent: "bg-accent-soft text-accent",
  thinking: "bg-thinking-soft text-thinking",
  responding: "bg-responding-soft text-responding",
  good: "bg-good-soft text-good",
  bad: "bg-bad-soft text-bad",
};

/** A vertical list of events. */
export function Timeline({ label, items }: { readonly label: string; readonly items: readonly TimelineItem[] }) {
  return (
    <ol aria-label={label} className="grid">
      {items.map(({ key, title, trailing, children, tone = "neutral", icon }, index) => (
        <li key={key} className="relative grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3 pb-5 last:pb-0">
          {index < items.length - 1 && (
            <span aria-hidden className="absolute top-7 bottom-0 left-[0.8rem] w-px bg-line-strong" />
          )}
          <span
            aria-hidden
            className={clsx("flex size-7 items-center justify-center rounded-full [&_svg]:size-3.5", BACKGROUNDS[tone])}
          >
            {icon ?? <span className="size-1.5 rounded-full bg-current" />}
          </span>
          <div className="grid min-w-0 gap-2 pt-0.5">
            <div className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-3">
              <div className="min-w-0 font-medium">{title}</div>
              {trailing !== undefined && <div className="text-sm text-ink-faint tabular-nums">{trailing}</div>}
            </div>
            {children}
          </div>
        </li>
      ))}
    </ol>
  );
}
