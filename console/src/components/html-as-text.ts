interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
}

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

/**
 * A remark plugin that turns HTML in a message, such as `Array<T>`, into text, so that the reader sees what was typed
 * and nothing interprets it as markup.
 */
export function htmlAsText() {
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
