import type { AccessSet, Rule } from "./rule.ts";

const OPAQUE: Rule = { kind: "opaque" };
const USER_ID = String.raw`(?:\( SELECT auth\.uid\(\) AS uid\)|auth\.uid\(\))`;
const COLUMN = String.raw`([a-z_][a-z0-9_$]*|"(?:[^"]|"")+")`;
const OWNER = new RegExp(`^${COLUMN} = ${USER_ID}$`);
const OWNER_REVERSED = new RegExp(`^${USER_ID} = ${COLUMN}$`);
const MEMBER = new RegExp(`^${COLUMN} = ANY \\(ARRAY\\( SELECT private\\.(\\w+)\\(\\) AS \\w+\\)\\)$`);
const NULL = new RegExp(`^${COLUMN} IS (NOT )?NULL$`);
const TEXT = new RegExp(`^${COLUMN} (=|<>) '((?:[^']|'')*)'::text$`);
// The portal has no sockets.
const SCOPES =
  /^\(? SELECT private\.(?:require_read_or_run\(|require_(?:portal_or_)?scopes\(VARIADIC ARRAY\[((?:'\w+'::text(?:, )?)+)\])\) AS \w+(?:\) IS NOT NULL)?$/;
const FLAG = new RegExp(`^(NOT )?${COLUMN}$`);
const CALLED = /^[a-z_]\w*\.[a-z_]\w*(?=\()/;
const SETS: Readonly<Record<string, AccessSet>> = {
  my_swarm_ids: "swarms",
  my_writable_swarm_ids: "writableSwarms",
  my_managed_swarm_ids: "managedSwarms",
  my_agent_ids: "agents",
};

/** Parses a policy as PostgreSQL prints it with an empty search path, every operand in parentheses; other forms are opaque. */
export function parsePolicy(text: string): Rule {
  const inner = unwrap(text);
  for (const [word, kind] of [
    [" OR ", "any"],
    [" AND ", "all"],
  ] as const) {
    const operands = split(inner, word);
    if (operands === null) return OPAQUE;
    if (operands.length > 1)
      return operands.every(isComplete) ? { kind, operands: operands.map((operand) => parsePolicy(operand)) } : OPAQUE;
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
  const required = SCOPES.exec(text);
  if (required !== null) {
    const [, scopes = "'read'"] = required;
    return { kind: "scopes", scopes: Array.from(scopes.matchAll(/'(\w+)'/g), ([, scope = ""]) => scope) };
  }
  const flag = FLAG.exec(text);
  if (flag !== null) return { kind: "flag", column: toName(flag[2]), isSet: flag[1] === undefined };
  return OPAQUE;
}

/** Whether the operand is in parentheses, a bare column or a call, so that it is complete by itself. */
function isComplete(operand: string): boolean {
  return unwrap(operand) !== operand || FLAG.test(operand) || isCall(operand);
}

function isCall(operand: string): boolean {
  const [name = ""] = CALLED.exec(operand) ?? [];
  return name !== "" && closesAtEnd(operand.slice(name.length));
}

/** Splits at the word outside of parentheses and quotes; null when these are unbalanced. */
function split(text: string, word: string): string[] | null {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (const { index, depth: next } of scan(text)) {
    depth = next;
    if (depth < 0) return null;
    if (depth > 0 || index < start || !text.startsWith(word, index)) continue;
    parts.push(text.slice(start, index));
    start = index + word.length;
  }
  return depth === 0 ? [...parts, text.slice(start)] : null;
}

/** Removes the outer parentheses. */
function unwrap(text: string): string {
  let inner = text;
  while (inner.startsWith("(") && closesAtEnd(inner)) inner = inner.slice(1, -1);
  return inner;
}

function closesAtEnd(text: string): boolean {
  for (const { index, depth } of scan(text)) if (depth === 0) return index === text.length - 1;
  return false;
}

/** The depth of parentheses after each character outside of quotes; not a number after a quote without an end. */
function* scan(text: string): Generator<{ readonly index: number; readonly depth: number }> {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? "";
    if (char === "'" || char === '"') {
      const end = text.indexOf(char, index + 1);
      if (end === -1) depth = Number.NaN;
      index = end === -1 ? text.length : end;
    } else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    yield { index, depth };
  }
}

function toName(identifier = ""): string {
  return identifier.startsWith('"') ? identifier.slice(1, -1).replaceAll('""', '"') : identifier;
}
