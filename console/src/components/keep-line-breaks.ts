/** Turns line breaks outside of code blocks into Markdown line breaks. */
export function keepLineBreaks(text: string): string {
  return text
    .split(/(```[\s\S]*?(?:```|$))/)
    .map((part) => (part.startsWith("```") ? part : part.replace(/(\S)[ \t]*\n(?=\S)/g, "$1  \n")))
    .join("");
}
