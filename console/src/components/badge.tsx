import { clsx } from "clsx";
import type { ReactNode } from "react";

export type Tone = "neutral" | "accent" | "thinking" | "responding" | "good" | "bad";

const TONES: Readonly<Record<Tone, string>> = {
  neutral: "bg-idle-soft text-ink-soft",
  accent: "bg-accent-soft text-accent",
  thinking: "bg-thinking-soft text-thinking",
  responding: "bg-responding-soft text-responding",
  good: "bg-good-soft text-good",
  bad: "bg-bad-soft text-bad",
};

export function Badge({ tone = "neutral", children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span
      className={clsx(
        "inline-flex h-5.5 shrink-0 items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
