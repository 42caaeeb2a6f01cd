/** A mention that is being typed. */
export interface OpenMention {
  /** The index of the "@". */
  readonly start: number;
  readonly typed: string;
}

const MAX_LENGTH = 60;

/** Finds the mention at the caret. An "@" inside a word, as in an e-mail address, does not start one. */
export function findMention(text: string, caret: number): OpenMention | null {
  const before = text.slice(Math.max(0, caret - MAX_LENGTH), caret);
  const found = /(?:^|[\s([{"'])@"?([\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]*)?)$/u.exec(before);
  if (found === null) return null;
  const typed = found[1] ?? "";
  const start = text.lastIndexOf("@", caret - 1);
  return { start, typed };
}

/** The mention syntax of the service; quotes names with special characters. */
export function renderMention(name: string): string {
  return /^[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)*$/u.test(name) ? `@${name}` : `@"${name}"`;
}
