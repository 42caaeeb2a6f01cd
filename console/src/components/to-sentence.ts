/** Formats an error message of the service as a sentence. */
export function toSentence(text: string): string {
  const trimmed = text.trim();
  const [first = ""] = trimmed;
  return `${first.toUpperCase()}${trimmed.slice(first.length)}${/[.!?…]$/.test(trimmed) ? "" : "."}`;
}
