import { lazy, Suspense } from "react";
import { CopyButton } from "./copy-button.tsx";

const HighlightedCode = lazy(async () => ({ default: (await import("./highlighted-code.tsx")).HighlightedCode }));

interface CodeBlockProps {
  readonly code: string;
  /** "curl", "Request body" */
  readonly label: string;
  readonly isWrapped?: boolean;
  /** Colours the code: "ts", "json". Without it, or for a language that is not known, the code has one colour. */
  readonly language?: string | undefined;
}

export function CodeBlock({ code, label, isWrapped = false, language }: CodeBlockProps) {
  return (
    // Code is read from left to right, also in a message that is not.
    <figure dir="ltr" className="min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex h-9 items-center justify-between border-b border-line pr-1 pl-3 text-xs font-medium text-ink-faint">
        {label}
        <CopyButton text={code} label={`Copy: ${label}`} />
      </figcaption>
      <pre
        // Scrollable regions must be focusable by keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`max-h-96 overflow-auto p-3 font-mono text-sm -outline-offset-2 ${isWrapped ? "break-words whitespace-pre-wrap" : ""}`}
      >
        <code>
          {language === undefined ? (
            code
          ) : (
            <Suspense fallback={code}>
              <HighlightedCode code={code} language={language} />
            </Suspense>
          )}
        </code>
      </pre>
    </figure>
  );
}

/** Inline code. */
export function Code({ children }: { readonly children: string }) {
  return <code className="rounded-sm bg-sunken px-1 py-0.5 font-mono text-[0.92em] wrap-anywhere">{children}</code>;
}
