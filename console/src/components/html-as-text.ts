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
 * A plugin for remark: markup that somebody has typed is text that they want to be read, such as `Array<T>`. It becomes text before
 * anything could take it for markup.
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

/** Lines end where they were ended, and begin where they were begun. */
function toLines(text: string): MarkdownNode[] {
  return text
    .split("\n")
    .flatMap((line, at) => [...(at === 0 ? [] : [{ type: "break" }]), { type: "text", value: indent(line) }]);
}

function indent(line: string): string {
  return line.replace(/^[ \t]+/, (space) => "\u00a0".repeat(space.length));
}
