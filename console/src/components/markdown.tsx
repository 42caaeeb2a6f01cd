import { lazy, Suspense } from "react";

const Rendered = lazy(async () => ({ default: (await import("./rendered-markdown.tsx")).RenderedMarkdown }));

/** Renders Markdown; shows the plain text until the renderer is loaded. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense
      fallback={
        <p dir="auto" className="min-w-0 wrap-anywhere whitespace-pre-wrap">
          {text}
        </p>
      }
    >
      <Rendered text={text} />
    </Suspense>
  );
}
