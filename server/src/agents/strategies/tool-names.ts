/** What all vendors accept. */
const MAX_TOOL_NAME_CHARS = 64;
const MAX_SLUG_CHARS = 40;

/** A tool name made of an agent's name that none of the taken ones equals; it is added to them. */
export function uniqueToolName(prefix: string, agentName: string, taken: Set<string>): string {
  const plain = `${prefix}${slugOf(agentName)}`.slice(0, MAX_TOOL_NAME_CHARS);
  let name = plain;
  for (let number = 2; taken.has(name); number += 1) {
    const suffix = `_${number}`;
    name = plain.slice(0, MAX_TOOL_NAME_CHARS - suffix.length) + suffix;
  }
  taken.add(name);
  return name;
}

function slugOf(name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/gu, "_")
    .slice(0, MAX_SLUG_CHARS)
    .replace(/^_+|_+$/gu, "");
  return slug === "" ? "agent" : slug;
}
