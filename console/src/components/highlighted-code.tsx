import { memo } from "react";
import { type Token, tokenize } from "./tokenize.ts";

const COLORS: Readonly<Record<Exclude<Token["kind"], "plain">, string>> = {
  comment: "text-ink-faint italic",
  string: "text-good",
  number: "text-responding",
  keyword: "text-accent",
};

export interface HighlightedCodeProps {
  readonly code: string;
  readonly language: string;
}

export const HighlightedCode = memo(function HighlightedCode({ code, language }: HighlightedCodeProps) {
  return tokenize(code, language).map(({ kind, text }, index) =>
    kind === "plain" ? (
      text
    ) : (
      <span key={index} className={COLORS[kind]}>
        {text}
      </span>
    ),
  );
});
