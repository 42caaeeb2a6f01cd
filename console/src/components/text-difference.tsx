import { clsx } from "clsx";
import { useMemo } from "react";
import { type ComparedPart, compareWords } from "./compare-lines.ts";
import { type PairedLine, pairLines } from "./pair-lines.ts";

interface TextDifferenceProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** As one text, in which words that differ are marked where they stand. */
  readonly isByWord?: boolean;
}

const STYLES: Readonly<Record<ComparedPart["kind"], string>> = {
  same: "text-ink-soft",
  removed: "bg-bad-soft text-bad",
  added: "bg-good-soft text-good",
};
const MARKS: Readonly<Record<ComparedPart["kind"], string>> = { same: " ", removed: "−", added: "+" };

/** Two texts, line by line: what only the first has, and what only the second has. Changed words of a line are marked. */
export function TextDifference({ label, before, after, isByWord = false }: TextDifferenceProps) {
  const lines = useMemo(() => (isByWord ? [] : pairLines(before, after)), [isByWord, before, after]);
  const words = useMemo(() => (isByWord ? compareWords(before, after) : []), [isByWord, before, after]);
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
        {isByWord && (
          <div className="px-3 wrap-anywhere whitespace-pre-wrap">
            {words.map(({ kind, text }, place) => {
              if (kind === "same") return text;
              const Word = kind === "added" ? "ins" : "del";
              return (
                // Words can be the same.
                <Word key={`${place} ${text}`} className={STYLES[kind]}>
                  {text}
                </Word>
              );
            })}
          </div>
        )}
        {lines.map((line, place) => (
          <div
            // Lines can be the same.
            key={`${place} ${line.text}`}
            className={clsx("px-3 wrap-anywhere whitespace-pre-wrap", STYLES[line.kind])}
          >
            {MARKS[line.kind]} {line.words === null ? line.text : <Words words={line.words} />}
          </div>
        ))}
      </pre>
    </figure>
  );
}

function Words({ words }: { readonly words: NonNullable<PairedLine["words"]> }) {
  return words.map(({ kind, text }, place) =>
    kind === "same" || text.trim() === "" ? (
      text
    ) : (
      // Words can be the same.
      <strong key={`${place} ${text}`} className="rounded-xs font-semibold underline decoration-2 underline-offset-2">
        {text}
      </strong>
    ),
  );
}
