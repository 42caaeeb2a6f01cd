/** What the service says of a fault, as a sentence of its own. */
export function toSentence(text: string): string {
  const trimmed = text.trim();
  const [first = ""] = trimmed;
  return `${first.toUpperCase()}${trimmed.slice(first.length)}${/[.!?…]$/.test(trimmed) ? "" : "."}`;
}
