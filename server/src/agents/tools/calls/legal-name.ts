const MAX_LENGTH = 64;

/** The name of a tool as models take it, and one that is not taken yet. */
export function legalName(remoteName: string, taken: ReadonlySet<string>): string {
  const plain = remoteName.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  const legal = (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, MAX_LENGTH);
  if (!taken.has(legal)) return legal;
  for (let count = 2; ; count += 1) {
    const suffix = `_${count}`;
    const next = legal.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!taken.has(next)) return next;
  }
}
