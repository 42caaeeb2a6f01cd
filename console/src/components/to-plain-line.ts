/** Enough for any preview. The patterns take long for a long hostile text. */
const MAX_READ = 2_000;

/** A text on one line, for previews, without the marks of Markdown. Characters that Markdown shows as they are stay. */
export function toPlainLine(text: string, maxLength = 200): string {
  const line = text
    .slice(0, MAX_READ)
    .replace(/^ {0,3}(?:```|~~~).*$/gm, " ")
    .replace(/^ {0,3}(?:(?:#{1,6}|>|[-*+])(?: +|$))+/gm, "")
    .replace(/^ *(?:\| *:?-+:? *)+\|? *$|^ {0,3}(?:[-*_] *){3,}$/gm, " ")
    .replace(/!?\[([^\]\n]*)\]\([^()\s]*(?: "[^"\n]*")?\)/g, "$1")
    .replace(/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_\n]*?[^\s*_])\1(?![\p{L}\p{N}*_])/gu, "$2")
    .replace(/(`+)([^`\n]+)\1/g, "$2")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
