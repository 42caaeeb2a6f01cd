const MAX_DEPTH = 32;
/** More than two full sets of metadata. A body stays in memory while its password waits to be hashed. */
const MAX_MEMBERS = 40_000;
/** The database writes numbers without exponent: 1e+308 has six characters here and 309 there. */
const NUMBER_RANGE = { smallest: 1e-30, largest: 1e30 } as const;
const MAX_SHOWN_LENGTH = 200;

/**
 * Returns what the database cannot store, or null: NUL characters, lone surrogates, deep nesting, too many members,
 * extreme numbers. Iterative, because a hostile body can be nested deeper than the call stack.
 */
export function findUnstorable(value: unknown): string | null {
  const open: { readonly value: unknown; readonly path: string; readonly depth: number }[] = [
    { value, path: "", depth: 0 },
  ];
  let membersLeft = MAX_MEMBERS;
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item.value === "number" && !isStorableNumber(item.value)) {
      return `${shorten(item.path)} is a number that is too large or too small`;
    }
    if (typeof item.value === "string") {
      if (!isStorable(item.value)) return `${shorten(item.path)} holds a character that cannot be stored`;
      continue;
    }
    if (typeof item.value !== "object" || item.value === null) continue;
    if (item.depth >= MAX_DEPTH) return `${shorten(item.path)} is nested too deeply`;
    membersLeft -= countMembers(item.value);
    if (membersLeft < 0) return `${shorten(item.path)} has too many members`;
    for (const [name, member] of Object.entries(item.value)) {
      if (!isStorable(name)) return "a name in the body holds a character that cannot be stored";
      open.push({ value: member, path: item.path === "" ? name : `${item.path}.${name}`, depth: item.depth + 1 });
    }
  }
  return null;
}

function shorten(path: string): string {
  return path === "" ? "the body" : path.slice(0, MAX_SHOWN_LENGTH);
}

function countMembers(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

function isStorableNumber(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= NUMBER_RANGE.smallest && size <= NUMBER_RANGE.largest);
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
