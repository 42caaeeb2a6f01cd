import { clsx } from "clsx";
import { useMemo } from "react";
import { type ComparedLine, compareLines } from "./compare-lines.ts";

export interface TextDifferenceProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

const STYLES: Readonly<Record<ComparedLine["kind"], string>> = {
  same: "text-ink-soft",
  removed: "bg-bad-soft text-bad",
  added: "bg-good-soft text-good",
};
const MARKS: Readonly<Record<ComparedLine["kind"], string>> = { same: " ", removed: "−", added: "+" };

/** Two texts, line by line: what only the first has, and what only the second has. */
export function TextDifference({ label, before, after }: TextDifferenceProps) {
  const lines = useMemo(() => compareLines(before, after), [before, after]);
  return (
    <figure className="min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex h-9 items-center border-b border-line px-3 text-xs font-medium text-ink-faint">
        {label}
        {before === after && ": no difference"}
      </figcaption>
      <pre
        // Scrollable regions must be focusable by keyboard.
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-96 overflow-auto py-2 font-mono text-sm -outline-offset-2"
      >
        {lines.map(({ kind, text }, place) => (
          <div
            // Lines can be the same.
            key={`${place} ${text}`}
            className={clsx("px-3 break-words whitespace-pre-wrap", STYLES[kind])}
          >
            {MARKS[kind]} {text}
          </div>
        ))}
      </pre>
    </figure>
  );
}
