import type { ReadColumn } from "./row-image.ts";

/** What a policy says of a row, as far as it can be known without asking the database. */
export type Rule =
  | { readonly kind: "constant"; readonly isTrue: boolean }
  /** The column holds the id of the caller. */
  | { readonly kind: "owner"; readonly column: string }
  /** The column holds one of the caller's own. */
  | { readonly kind: "member"; readonly column: string; readonly set: AccessSet }
  | { readonly kind: "null"; readonly column: string; readonly isNull: boolean }
  | { readonly kind: "text"; readonly column: string; readonly value: string; readonly isEqual: boolean }
  | { readonly kind: "flag"; readonly column: string; readonly isSet: boolean }
  | { readonly kind: "all" | "any"; readonly parts: readonly Rule[] }
  /** For the database to say. */
  | { readonly kind: "opaque" };

export type AccessSet = "swarms" | "writableSwarms" | "managedSwarms" | "agents";

/** What belongs to a user. */
export interface Access {
  has(set: AccessSet, id: string): boolean;
}

export interface Asker {
  readonly userId: string | null;
  readonly access: Access | null;
}

/** Null: the database has to be asked. What a row does not tell never counts in favour of showing it. */
export function judge(rule: Rule, read: ReadColumn, asker: Asker): boolean | null {
  switch (rule.kind) {
    case "owner":
      return asker.userId !== null && read(rule.column) === asker.userId;
    case "member": {
      const id = read(rule.column);
      return typeof id === "string" && asker.access?.has(rule.set, id) === true;
    }
    case "all":
      return combine(rule.parts, false, (part) => judge(part, read, asker));
    case "any":
      return combine(rule.parts, true, (part) => judge(part, read, asker));
    case "opaque":
      return null;
    default:
      return judgeAlone(rule, read);
  }
}

function combine(parts: readonly Rule[], decisive: boolean, decide: (part: Rule) => boolean | null): boolean | null {
  let result: boolean | null = !decisive;
  for (const part of parts) {
    const answer = decide(part);
    if (answer === decisive) return decisive;
    if (answer === null) result = null;
  }
  return result;
}

type RowRule = Extract<Rule, { readonly kind: "constant" | "null" | "text" | "flag" }>;

function judgeAlone(rule: RowRule, read: ReadColumn): boolean {
  switch (rule.kind) {
    case "constant":
      return rule.isTrue;
    case "null": {
      const value = read(rule.column);
      return value !== undefined && (value === null) === rule.isNull;
    }
    case "text": {
      const value = read(rule.column);
      return typeof value === "string" && (value === rule.value) === rule.isEqual;
    }
    case "flag":
      return read(rule.column) === (rule.isSet ? "t" : "f");
  }
}

/** Users that the row could be for; null when it could be for anybody. */
export function findCandidates(
  rule: Rule,
  read: ReadColumn,
  findUsers: (set: AccessSet, id: string) => Iterable<string>,
): ReadonlySet<string> | null {
  switch (rule.kind) {
    case "owner": {
      const id = read(rule.column);
      return new Set(typeof id === "string" ? [id] : []);
    }
    case "member": {
      const id = read(rule.column);
      return new Set(typeof id === "string" ? findUsers(rule.set, id) : []);
    }
    case "any": {
      const found = new Set<string>();
      for (const part of rule.parts) {
        const users = findCandidates(part, read, findUsers);
        if (users === null) return null;
        for (const user of users) found.add(user);
      }
      return found;
    }
    case "all": {
      let fewest: ReadonlySet<string> | null = null;
      for (const part of rule.parts) {
        const users = findCandidates(part, read, findUsers);
        if (users !== null && (fewest === null || users.size < fewest.size)) fewest = users;
      }
      return fewest;
    }
    case "opaque":
      return null;
    default:
      return judgeAlone(rule, read) ? null : new Set();
  }
}
