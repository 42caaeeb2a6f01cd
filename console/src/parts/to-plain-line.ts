/** A text on one line, without the signs of its markup: for previews and quotations. */
export function toPlainLine(text: string, most = 200): string {
  const line = text
    .replace(/```\w*/g, " ")
    .replace(/[*_`#>]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
