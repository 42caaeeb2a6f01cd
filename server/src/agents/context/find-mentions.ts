interface Name {
  readonly text: string;
  readonly ids: string[];
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "“": "”", "'": "'" };

/** Further @ signs of a text are ignored, because each lookup takes time. */
const MAX_LOOKUPS = 500;

/** The agents that a text mentions, in order: `@Name`, `@Two Words`, `@"Two Words"`. */
export function findMentions(
  text: string,
  agents: readonly { readonly id: string; readonly name: string }[],
): string[] {
  if (!/[@＠]/u.test(text)) return [];
  const names = longestFirst(agents);
  const haystack = fold(text);
  const found = new Set<string>();
  let lookups = 0;
  for (let index = haystack.indexOf("@"); index !== -1; index = haystack.indexOf("@", index + 1)) {
    if (WORD.test(characterBefore(haystack, index))) continue;
    lookups += 1;
    if (lookups > MAX_LOOKUPS || found.size === agents.length) break;
    const name = names.find((one) => isMentioned(haystack, index + 1, one.text));
    for (const id of name?.ids ?? []) found.add(id);
  }
  return [...found];
}

/** Agents with the same name are mentioned together. */
function longestFirst(agents: readonly { readonly id: string; readonly name: string }[]): Name[] {
  const byText = new Map<string, Name>();
  for (const { id, name } of agents) {
    const text = fold(name).trim();
    if (text === "") continue;
    const known = byText.get(text);
    if (known) known.ids.push(id);
    else byText.set(text, { text, ids: [id] });
  }
  return [...byText.values()].sort((one, other) => other.text.length - one.text.length);
}

function isMentioned(haystack: string, from: number, name: string): boolean {
  const closing = QUOTES[haystack.charAt(from)];
  if (closing !== undefined && isQuoted(haystack, from + 1, name, closing)) return true;
  if (!haystack.startsWith(name, from)) return false;
  return !WORD.test(characterAfter(haystack, from + name.length));
}

/** Some characters fold into a space and another character, so a space can occur at either end. */
function isQuoted(haystack: string, from: number, name: string, closing: string): boolean {
  const begin = haystack.charAt(from) === " " ? from + 1 : from;
  if (!haystack.startsWith(name, begin)) return false;
  const end = begin + name.length;
  return haystack.startsWith(closing, haystack.charAt(end) === " " ? end + 1 : end);
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ");
}

function characterAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}

function characterBefore(text: string, index: number): string {
  const unit = text.charAt(index - 1);
  return /[\udc00-\udfff]/.test(unit) ? text.slice(Math.max(0, index - 2), index) : unit;
}
