import type { Token, Tokens } from "marked";

/** The text of a token without its markup; pieces are separated by spaces. */
export function toPlainText(token: Token): string {
  switch (token.type) {
    case "html":
    case "space":
    case "hr":
      return "";
    case "br":
      return " ";
    case "image":
      return (token as Tokens.Image).text;
    case "list":
      return (token as Tokens.List).items.map((item) => joinText(item.tokens)).join(" ");
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map(toRowText).join(" ");
    }
    default:
      return "tokens" in token && token.tokens !== undefined
        ? joinText(token.tokens)
        : "text" in token
          ? String(token.text)
          : "";
  }
}

export function toRowText(cells: readonly Tokens.TableCell[]): string {
  return cells.map(({ tokens }) => joinText(tokens)).join(" ");
}

/** Text of inline tokens has its own spaces; blocks get one between them. */
export function joinText(tokens: readonly Token[]): string {
  const isInline = tokens.every(({ type }) => INLINE.has(type));
  return tokens
    .map(toPlainText)
    .join(isInline ? "" : " ")
    .replace(/\s+/g, " ");
}

const INLINE: ReadonlySet<string> = new Set([
  "text",
  "escape",
  "strong",
  "em",
  "del",
  "codespan",
  "link",
  "image",
  "br",
  "html",
]);
