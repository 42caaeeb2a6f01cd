/** A header in a form. */
export interface HeaderLine {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

export function toLines(headers: Readonly<Record<string, string>>): readonly HeaderLine[] {
  return Object.entries(headers).map(([name, value]) => ({ key: crypto.randomUUID(), name, value }));
}

/** Skips lines without a name. */
export function fromLines(lines: readonly HeaderLine[]): Record<string, string> {
  return Object.fromEntries(
    lines.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]),
  );
}
