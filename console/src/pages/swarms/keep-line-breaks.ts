/** People end a line where they want it to end; Markdown would run it on. Code keeps its lines anyway. */
export function keepLineBreaks(text: string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$))/)
    .map((part) => (part.startsWith("```") ? part : part.replace(/(\S)[ \t]*\n(?=\S)/g, "$1  \n")))
    .join("");
}
