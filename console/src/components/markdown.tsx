import { lazy, Suspense } from "react";

const Rendered = lazy(async () => ({ default: (await import("./rendered-markdown.tsx")).RenderedMarkdown }));

/** What a model or a person has written. Until the renderer is there, the text as it is. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="break-words whitespace-pre-wrap">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
}
