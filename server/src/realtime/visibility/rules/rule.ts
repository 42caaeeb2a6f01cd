import type { ReadColumn } from "../../feed/read-column.ts";

/** The condition of a policy, as far as it can be evaluated without the database. */
export type Rule =
  | { readonly kind: "constant"; readonly isTrue: boolean }
  /** The column holds the id of the principal. */
  | { readonly kind: "owner"; readonly column: string }
  /** The column holds an id of the principal's access set. */
  | { readonly kind: "member"; readonly column: string; readonly set: AccessSet }
  | { readonly kind: "null"; readonly column: string; readonly isNull: boolean }
  | { readonly kind: "text"; readonly column: string; readonly value: string; readonly isEqual: boolean }
  | { readonly kind: "flag"; readonly column: string; readonly isSet: boolean }
  /** Of an API key, which needs these scopes; true for a key with them that is not bound to resources. */
  | { readonly kind: "scopes"; readonly scopes: readonly string[] }
  | { readonly kind: "all" | "any"; readonly operands: readonly Rule[] }
  /** Only the database can evaluate it. */
  | { readonly kind: "opaque" };

export type AccessSet = "swarms" | "writableSwarms" | "managedSwarms" | "agents";

/** The ids that a user has access to. */
export interface Access {
  has(set: AccessSet, id: string): boolean;
}

interface RulePrincipal {
  readonly userId: string | null;
  readonly access: Access | null;
  /** The scopes of an API key that is not bound to resources. Null means a key that is bound, absent that the principal is no key. */
  readonly scopes?: readonly string[] | null;
}

/** Returns null when only the database can decide. A missing value never makes a row visible. */
export function evaluateRule(rule: Rule, read: ReadColumn, principal: RulePrincipal): boolean | null {
  switch (rule.kind) {
    case "owner":
      return principal.userId !== null && read(rule.column) === principal.userId;
    case "member": {
      const id = read(rule.column);
      return typeof id === "string" && principal.access?.has(rule.set, id) === true;
    }
    case "scopes": {
      const { scopes } = principal;
      return scopes === undefined || rule.scopes.every((scope) => scopes?.includes(scope) === true) ? true : null;
    }
    case "all":
      return combine(rule.operands, false, (operand) => evaluateRule(operand, read, principal));
    case "any":
      return combine(rule.operands, true, (operand) => evaluateRule(operand, read, principal));
    case "opaque":
      return null;
    default:
      return evaluateRowRule(rule, read);
  }
}

function combine(
  operands: readonly Rule[],
  decisive: boolean,
  decide: (operand: Rule) => boolean | null,
): boolean | null {
  let combined: boolean | null = !decisive;
  for (const operand of operands) {
    const result = decide(operand);
    if (result === decisive) return decisive;
    if (result === null) combined = null;
  }
  return combined;
}

type RowRule = Extract<Rule, { readonly kind: "constant" | "null" | "text" | "flag" }>;

function evaluateRowRule(rule: RowRule, read: ReadColumn): boolean {
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

/** The users who may see the row; null when the rule does not limit them. */
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
      for (const operand of rule.operands) {
        const users = findCandidates(operand, read, findUsers);
        if (users === null) return null;
        for (const user of users) found.add(user);
      }
      return found;
    }
    case "all": {
      let fewest: ReadonlySet<string> | null = null;
      for (const operand of rule.operands) {
        const users = findCandidates(operand, read, findUsers);
        if (users !== null && (fewest === null || users.size < fewest.size)) fewest = users;
      }
      return fewest;
    }
    case "opaque":
    case "scopes":
      return null;
    default:
      return evaluateRowRule(rule, read) ? null : new Set();
  }
}
