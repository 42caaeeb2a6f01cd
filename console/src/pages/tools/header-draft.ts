export interface HeaderDraft {
  readonly name: string;
  readonly value: string;
}

export function readHeaders(headers: unknown): readonly HeaderDraft[] {
  if (typeof headers !== "object" || headers === null) return [];
  return Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }));
}

export function writeHeaders(headers: readonly HeaderDraft[]): Record<string, string> {
  return Object.fromEntries(headers.filter(({ name }) => name !== "").map(({ name, value }) => [name, value]));
}
