/** A text on one line, for previews. Removes only the fences of code blocks, because other characters may be meant literally. */
export function toPlainLine(text: string, maxLength = 200): string {
  const line = text
    .replace(/^ {0,3}(?:```|~~~).*$/gm, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
