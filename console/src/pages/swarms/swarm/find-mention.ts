/** A name that is being typed after an "@". */
export interface OpenMention {
  /** Where the "@" stands. */
  readonly start: number;
  readonly typed: string;
}

const LONGEST = 60;

/** The mention that the caret stands in, or null. An "@" inside a word, as in an address, begins none. */
export function findMention(text: string, caret: number): OpenMention | null {
  const before = text.slice(Math.max(0, caret - LONGEST), caret);
  const found = /(?:^|[\s([{"'])@"?([\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]*)?)$/u.exec(before);
  if (found === null) return null;
  const typed = found[1] ?? "";
  const start = text.lastIndexOf("@", caret - 1);
  return { start, typed };
}

/** As the service reads it: quoted where a plain name would end too early. */
export function renderMention(name: string): string {
  return /^[\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)*$/u.test(name) ? `@${name}` : `@"${name}"`;
}
