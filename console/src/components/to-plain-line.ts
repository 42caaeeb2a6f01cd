/** A text on one line: for previews and quotations. Only the fences of code blocks are left out; all other signs may mean themselves. */
export function toPlainLine(text: string, most = 200): string {
  const line = text
    .replace(/^ {0,3}(?:```|~~~).*$/gm, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
