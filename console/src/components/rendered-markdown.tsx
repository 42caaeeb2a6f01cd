import { memo, type ReactNode } from "react";
import Renderer, { type Components } from "react-markdown";
import gfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";

const INLINE_PARENTS = new Set([
  "paragraph",
  "heading",
  "emphasis",
  "strong",
  "delete",
  "link",
  "linkReference",
  "tableCell",
]);
/** Messages come from other users: HTML is shown as text, and images are not loaded, so that no request leaves the page. */
const COMPONENTS: Components = {
  a: ({ href, children }) =>
    // The renderer empties unsafe URLs such as javascript:.
    href === undefined || href === "" ? (
      <>{children}</>
    ) : (
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-accent underline underline-offset-3"
      >
        {children}
      </a>
    ),
  img: ({ alt }) => (
    <span className="text-ink-faint">[image: {alt === "" || alt === undefined ? "no description" : alt}]</span>
  ),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = textOf(children);
    const language = /language-(\w+)/.exec(className ?? "")?.[1];
    if (language === undefined && !text.includes("\n"))
      return <code className="rounded-sm bg-sunken px-1 py-0.5 font-mono text-[0.92em] break-words">{text}</code>;
    return <CodeBlock code={text.replace(/\n$/, "")} label={language ?? "code"} language={language} />;
  },
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="text-sm [&_td]:border [&_td]:border-line [&_td]:px-2.5 [&_td]:py-1.5 [&_th]:border [&_th]:border-line [&_th]:bg-sunken [&_th]:px-2.5 [&_th]:py-1.5 [&_th]:text-start">
        {children}
      </table>
    </div>
  ),
  // Headings in a message are only bold, because the page has its own heading structure.
  h1: ({ children }) => <p className="text-lg font-semibold">{children}</p>,
  h2: ({ children }) => <p className="text-lg font-semibold">{children}</p>,
  h3: ({ children }) => <p className="font-semibold">{children}</p>,
  h4: ({ children }) => <p className="font-semibold">{children}</p>,
  h5: ({ children }) => <p className="font-semibold">{children}</p>,
  h6: ({ children }) => <p className="font-semibold">{children}</p>,
};
const PLUGINS = [gfm, htmlAsText];

function textOf(children: ReactNode): string {
  if (typeof children === "string") return children;
  return Array.isArray(children) ? children.map(textOf).join("") : "";
}

export const RenderedMarkdown = memo(function RenderedMarkdown({ text }: { readonly text: string }) {
  return (
    <div
      // The first letter decides, so that each message has its own direction.
      dir="auto"
      className="grid min-w-0 gap-3 wrap-anywhere [&_blockquote]:border-s-2 [&_blockquote]:border-line-strong [&_blockquote]:ps-3 [&_blockquote]:text-ink-soft [&_ol]:list-decimal [&_ol]:ps-5 [&_ul]:list-disc [&_ul]:ps-5"
    >
      <Renderer remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </Renderer>
    </div>
  );
});

interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
}

/**
 * A remark plugin that turns HTML in a message, such as `Array<T>`, into text, so that the reader sees what was typed
 * and nothing interprets it as markup.
 */
function htmlAsText() {
  return (root: MarkdownNode): void => change(root);
}

function change(node: MarkdownNode): void {
  if (node.children === undefined) return;
  node.children = node.children
    .map((child) => {
      if (child.type !== "html") return child;
      const lines = toLines(child.value ?? "");
      return INLINE_PARENTS.has(node.type) ? lines : { type: "paragraph", children: lines };
    })
    .flat();
  for (const child of node.children) change(child);
}

/** Keeps line breaks and indentation. */
function toLines(text: string): MarkdownNode[] {
  return text
    .split("\n")
    .flatMap((line, index) => [...(index === 0 ? [] : [{ type: "break" }]), { type: "text", value: indent(line) }]);
}

function indent(line: string): string {
  return line.replace(/^[ \t]+/, (space) => "\u00a0".repeat(space.length));
}
