const MAX_LENGTH = 60;

/** The name of a program for our sentences. A program chooses its name, which must neither reverse nor hide what is around it. */
export function toProgramName(name: string): string {
  const clean = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ").replace(/\s+/g, " ");
  const letters = Array.from(clean.trim());
  const shown = letters.length > MAX_LENGTH ? [...letters.slice(0, MAX_LENGTH), "…"] : letters;
  return `\u2068${shown.join("") || "A program without a name"}\u2069`;
}
