import type { AccessSet, Rule } from "./rule.ts";

const OPAQUE: Rule = { kind: "opaque" };
const CALLER = String.raw`(?:\( SELECT auth\.uid\(\) AS uid\)|auth\.uid\(\))`;
const COLUMN = String.raw`([a-z_][a-z0-9_$]*|"(?:[^"]|"")+")`;
const OWNER = new RegExp(`^${COLUMN} = ${CALLER}$`);
const OWNER_REVERSED = new RegExp(`^${CALLER} = ${COLUMN}$`);
const MEMBER = new RegExp(`^${COLUMN} = ANY \\(ARRAY\\( SELECT private\\.(\\w+)\\(\\) AS \\w+\\)\\)$`);
const NULL = new RegExp(`^${COLUMN} IS (NOT )?NULL$`);
const TEXT = new RegExp(`^${COLUMN} (=|<>) '((?:[^']|'')*)'::text$`);
const FLAG = new RegExp(`^(NOT )?${COLUMN}$`);
const SETS: Readonly<Record<string, AccessSet>> = {
  my_swarm_ids: "swarms",
  my_writable_swarm_ids: "writableSwarms",
  my_managed_swarm_ids: "managedSwarms",
  my_agent_ids: "agents",
};

/**
 * Reads the condition of a policy as PostgreSQL prints it with an empty search path. It prints every operand in parentheses,
 * which is what makes this possible; whatever looks different is left to the database.
 */
export function parsePolicy(text: string): Rule {
  const inner = unwrap(text);
  for (const [word, kind] of [
    [" OR ", "any"],
    [" AND ", "all"],
  ] as const) {
    const operands = split(inner, word);
    if (operands === null) return OPAQUE;
    if (operands.length > 1)
      return operands.every(isWhole) ? { kind, parts: operands.map((operand) => parsePolicy(operand)) } : OPAQUE;
  }
  return parseAtom(inner);
}

function parseAtom(text: string): Rule {
  if (text === "true" || text === "false") return { kind: "constant", isTrue: text === "true" };
  const owner = OWNER.exec(text) ?? OWNER_REVERSED.exec(text);
  if (owner !== null) return { kind: "owner", column: toName(owner[1]) };
  const member = MEMBER.exec(text);
  const set = SETS[member?.[2] ?? ""];
  if (member !== null && set !== undefined) return { kind: "member", column: toName(member[1]), set };
  const isNull = NULL.exec(text);
  if (isNull !== null) return { kind: "null", column: toName(isNull[1]), isNull: isNull[2] === undefined };
  const equality = TEXT.exec(text);
  if (equality !== null) {
    const value = (equality[3] ?? "").replaceAll("''", "'");
    return { kind: "text", column: toName(equality[1]), value, isEqual: equality[2] === "=" };
  }
  const flag = FLAG.exec(text);
  if (flag !== null) return { kind: "flag", column: toName(flag[2]), isSet: flag[1] === undefined };
  return OPAQUE;
}

/** An operand that nothing before or after it can belong to. */
function isWhole(operand: string): boolean {
  return unwrap(operand) !== operand || FLAG.test(operand);
}

/** Parts between the word where it stands outside of all parentheses and quotes; null when those do not match. */
function split(text: string, word: string): string[] | null {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "'" || letter === '"') {
      const end = text.indexOf(letter, at + 1);
      if (end === -1) return null;
      at = end;
    } else if (letter === "(") depth += 1;
    else if (letter === ")") depth -= 1;
    else if (depth === 0 && text.startsWith(word, at)) {
      parts.push(text.slice(from, at));
      from = at + word.length;
      at = from - 1;
    }
    if (depth < 0) return null;
  }
  return depth === 0 ? [...parts, text.slice(from)] : null;
}

/** Without the parentheses around the whole of it. */
function unwrap(text: string): string {
  let inner = text;
  while (inner.startsWith("(") && closesAtEnd(inner)) inner = inner.slice(1, -1);
  return inner;
}

function closesAtEnd(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "'" || letter === '"') {
      const end = text.indexOf(letter, at + 1);
      if (end === -1) return false;
      at = end;
    } else if (letter === "(") depth += 1;
    else if (letter === ")") depth -= 1;
    if (depth === 0) return at === text.length - 1;
  }
  return false;
}

function toName(identifier = ""): string {
  return identifier.startsWith('"') ? identifier.slice(1, -1).replaceAll('""', '"') : identifier;
}
