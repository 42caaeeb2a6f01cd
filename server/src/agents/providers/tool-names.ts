/** The limit of all vendors. */
const MAX_TOOL_NAME_CHARS = 64;
const MAX_SLUG_CHARS = 40;

/** The name of a tool that addresses an agent. */
export function agentToolName(prefix: string, agentName: string): string {
  const slug = agentName
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/gu, "_")
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^_+|_+$/gu, "");
  return `${prefix}${slug === "" ? "agent" : slug}`;
}

/** Replaces the characters that models do not accept in the name of a tool. */
export function toLegalName(remoteName: string): string {
  const legal = remoteName.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  return /^[a-zA-Z_]/.test(legal) ? legal : `_${legal}`;
}

/** Numbers the name when it is taken, and adds the result to the taken names. */
export function takeToolName(name: string, taken: Set<string>): string {
  const plain = name.slice(0, MAX_TOOL_NAME_CHARS);
  let unique = plain;
  for (let number = 2; taken.has(unique); number += 1) {
    const suffix = `_${number}`;
    unique = plain.slice(0, MAX_TOOL_NAME_CHARS - suffix.length) + suffix;
  }
  taken.add(unique);
  return unique;
}
