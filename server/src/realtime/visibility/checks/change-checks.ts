import type { Observer } from "../../../observe/index.ts";
import { readerOf } from "../../feed/read-column.ts";
import type { RowChange, Tuple } from "../../feed/row-change.ts";
import type { ChangeDelivery } from "../delivery/change-delivery.ts";
import type { Match } from "../matching/match-change.ts";
import type { RoutedChange } from "../matching/routed-change.ts";
import type { AccessCache } from "../rules/access-cache.ts";
import { evaluateRule } from "../rules/rule.ts";
import type { Identity } from "../subscriptions/identity.ts";
import type { RoleView } from "../tables/table-metadata.ts";
import { renderCheck } from "./sql/check-rows.ts";

export interface ChangeChecksOptions {
  readonly access: AccessCache;
  readonly delivery: ChangeDelivery;
  readonly observer: Observer;
  /** Resolves when new snapshots of the database include the transaction. */
  whenVisible(xid: number): Promise<void>;
}

const OVERLOADED = "Changes come faster than they can be checked";

/** Decides whether an identity may see a change, here or by a query as the caller, and passes it on to delivery. */
export class ChangeChecks {
  readonly #options: ChangeChecksOptions;

  constructor(options: ChangeChecksOptions) {
    this.#options = options;
  }

  check(routed: RoutedChange, { identity, recipients, filter }: Match): void {
    const { change, metadata, row } = routed;
    const { delivery } = this.#options;
    const view = metadata.roles.get(identity.caller.role);
    if (view === undefined) return;
    const isVisible = this.#evaluate(view, routed, row, identity, change.type === "DELETE");
    if (isVisible === false) return;
    const old = change.type === "UPDATE" ? change.oldRecord : null;
    const isOldVisible = old === null ? change.type === "DELETE" : this.#evaluate(view, routed, old, identity, true);
    const isDecidable = hasColumns(view.conditionColumns, change, row);
    const checksOld =
      old !== null && isOldVisible === null && isDecidable && hasColumns(view.conditionColumns, change, old);
    if (isVisible === true && filter === null && !checksOld) {
      if (identity.queue.isIdle) return delivery.deliver(routed, view, isOldVisible === true, recipients);
      if (identity.queue.isFull) return delivery.loseAll(recipients, OVERLOADED);
      const waiting = new Map(recipients);
      return identity.queue.call(() => delivery.deliver(routed, view, isOldVisible === true, waiting));
    }
    if (isVisible === null && !isDecidable) return;
    if (filter !== null && !hasColumns(filter.conditionColumns, change, row)) return;
    if (identity.queue.isFull) return delivery.loseAll(recipients, OVERLOADED);
    const rule = isVisible === true && !checksOld ? "true" : view.condition;
    const waiting = new Map(recipients);
    const ready = this.#options.whenVisible(routed.xid);
    // The queue handles the rejection later; until then it must not count as unhandled.
    ready.catch(() => {});
    identity.queue.add({
      ready,
      statement: renderCheck(metadata, renderInOrder(rule, filter?.condition ?? "true")),
      images: [row, ...(checksOld ? [old] : [])].map((image) => routed.renderImage(image)),
      settle: ([result, oldResult]) => {
        if (result === true) delivery.deliver(routed, view, isOldVisible ?? oldResult === true, waiting);
      },
      fail: (error) => {
        this.#options.observer.note("realtime.policy_failed", { table: `${metadata.schema}.${metadata.name}`, error });
        delivery.loseAll(waiting, `The row rules of ${metadata.name} could not be checked`);
      },
    });
  }

  /** Null when only the database can decide. `isPast` uses the access before the transaction. */
  #evaluate(
    view: RoleView,
    { change, accessBefore }: RoutedChange,
    tuple: Tuple,
    { userId }: Identity,
    isPast: boolean,
  ): boolean | null {
    const past = isPast && userId !== null ? accessBefore.get(userId) : undefined;
    const access = userId === null ? null : (past ?? this.#options.access.accessOf(userId));
    return evaluateRule(view.rule, readerOf(change.relation, tuple), { userId, access });
  }
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
