/** Whether an answer says nothing that the one before did not: same words, whatever the case, blanks and final marks. */
export function repeatsItself(previous: string | null, next: string): boolean {
  return previous !== null && fold(previous) === fold(next);
}

function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .replace(/^ | ?[.!?…]{0,16} ?$/gu, "");
}
