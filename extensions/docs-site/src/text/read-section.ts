import type { ParsedPage } from "../markdown/parse-page.ts";

/** The Markdown below the heading that has the anchor, or the text of such a row of a table. Null where nothing has it. */
export function readSection({ tokens, headings, sections, anchors }: ParsedPage, anchor: string): string | null {
  const depth = headings.find((heading) => heading.anchor === anchor)?.depth;
  if (depth === undefined) {
    const row = sections.find((section) => section.anchor === anchor);
    return row === undefined ? null : `${row.heading}: ${row.text}\n`;
  }
  const start = tokens.findIndex((token) => token.type === "heading" && anchors.get(token) === anchor);
  const length = tokens
    .slice(start + 1)
    .findIndex((token) => token.type === "heading" && "depth" in token && Number(token["depth"]) <= depth);
  const end = length < 0 ? tokens.length : start + 1 + length;
  return `${tokens
    .slice(start, end)
    .map(({ raw }) => raw)
    .join("")
    .trim()}\n`;
}
