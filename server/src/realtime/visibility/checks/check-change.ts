import { databaseRoleOf, hiddenColumnsOf } from "../../../db/index.ts";
import type { Observer } from "../../../observe/index.ts";
import { readerOf } from "../../feed/read-column.ts";
import type { RowChange, Tuple } from "../../feed/row-change.ts";
import type { WhenVisible } from "../../feed/when-visible.ts";
import { deliverChange, loseAll } from "../deliver-change.ts";
import type { Match } from "../matching/match-change.ts";
import type { RoutedChange } from "../matching/routed-change.ts";
import type { AccessCache } from "../rules/access-cache.ts";
import { evaluateRule } from "../rules/rule.ts";
import { renderCheck } from "./sql/check-statements.ts";

export interface CheckContext {
  readonly access: AccessCache;
  readonly observer: Observer;
  readonly whenVisible: WhenVisible;
}

const OVERLOADED = "Changes come faster than they can be checked";

/** Decides whether an identity may see a change, here or by a query as the principal, and passes it on to delivery. */
export function checkChange(
  { access, observer, whenVisible }: CheckContext,
  routed: RoutedChange,
  { identity, recipients, filter }: Match,
): void {
  const { change, metadata, row, accessBefore } = routed;
  const { queue, userId } = identity;
  const found = metadata.roles.get(databaseRoleOf(identity.principal));
  if (found === undefined) return;
  const hidden = hiddenColumnsOf(identity.principal, metadata.schema, metadata.name);
  const view = hidden.length === 0 ? found : { ...found, columns: without(found.columns, hidden) };
  const { scopes, resources = null } = identity.principal;
  const key = scopes === undefined ? {} : { scopes: resources === null ? scopes : null };
  /** Null when only the database can decide. `isPast` uses the access before the transaction. */
  const evaluate = (tuple: Tuple, isPast: boolean): boolean | null => {
    const past = isPast && userId !== null ? accessBefore.get(userId) : undefined;
    const known = userId === null ? null : (past ?? access.accessOf(userId));
    return evaluateRule(view.rule, readerOf(change.relation, tuple), { userId, access: known, ...key });
  };
  const isVisible = evaluate(row, change.type === "DELETE");
  if (isVisible === false) return;
  const old = change.type === "UPDATE" ? change.oldRecord : null;
  const isOldVisible = old === null ? change.type === "DELETE" : evaluate(old, true);
  const isDecidable = hasColumns(view.conditionColumns, change, row);
  const checksOld =
    old !== null && isOldVisible === null && isDecidable && hasColumns(view.conditionColumns, change, old);
  const isDecided = isVisible === true && filter === null && !checksOld;
  if (isDecided && queue.isIdle) return deliverChange(routed, view, isOldVisible === true, recipients);
  if (isVisible === null && !isDecidable) return;
  if (filter !== null && !hasColumns(filter.conditionColumns, change, row)) return;
  if (queue.isFull) return loseAll(recipients, OVERLOADED);
  const waiting = new Map(recipients);
  if (isDecided) return queue.call(() => deliverChange(routed, view, isOldVisible === true, waiting));
  const rule = isVisible === true && !checksOld ? "true" : view.condition;
  const ready = whenVisible(routed.xid);
  // The queue handles the rejection later; until then it must not count as unhandled.
  ready.catch(() => {});
  queue.add({
    ready,
    statement: renderCheck(metadata, renderInOrder(rule, filter?.condition ?? "true")),
    images: [row, ...(checksOld ? [old] : [])].map((image) => routed.renderImage(image)),
    settle: ([result, oldResult]) => {
      if (result === true) deliverChange(routed, view, isOldVisible ?? oldResult === true, waiting);
    },
    fail: (error) => {
      observer.note("realtime.policy_failed", { table: `${metadata.schema}.${metadata.name}`, error });
      loseAll(waiting, `The row rules of ${metadata.name} could not be checked`);
    },
  });
}

function without(columns: ReadonlySet<string>, hidden: readonly string[]): ReadonlySet<string> {
  return new Set([...columns].filter((column) => !hidden.includes(column)));
}

/** Evaluates a filter on visible rows only: its errors and its duration would otherwise reveal hidden rows. */
function renderInOrder(rule: string, condition: string): string {
  return `case when (${rule}) then (${condition}) else false end`;
}

/** Whether the row has the values of all these columns. Null stands for every column. */
function hasColumns(columns: readonly string[] | null, change: RowChange, tuple: Tuple): boolean {
  if (columns === null) return !tuple.includes(undefined);
  const read = readerOf(change.relation, tuple);
  return columns.every((column) => read(column) !== undefined);
}
