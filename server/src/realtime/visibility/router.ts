import type { Database } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";
import type { RowChange, Transaction, Tuple } from "../feed/row-change.ts";
import { type Listeners, merge, overlap, pick } from "./audience.ts";
import type { BindingIndex } from "./binding-index.ts";
import { fetchValues, isIncomplete } from "./fetch-values.ts";
import type { Identity } from "./identity.ts";
import type { Members, UserAccess } from "./members.ts";
import { ChangeRenderer, renderImage } from "./render-change.ts";
import { readerOf } from "./row-image.ts";
import { findCandidates, judge } from "./rule.ts";
import type { Group, Seat } from "./seat.ts";
import { renderQuestion } from "./sql/judge-images.ts";
import type { TableMetadataCache } from "./table-metadata-cache.ts";
import type { RoleView, TableMetadata } from "./table-metadata.ts";

export interface RouterOptions {
  readonly database: Database;
  readonly index: BindingIndex;
  readonly members: Members;
  readonly tables: TableMetadataCache;
  readonly observer: Observer;
  readonly maxRecordBytes: number;
  /** Resolves when the database answers with the transaction in mind. */
  whenVisible(xid: number): Promise<void>;
  lose(seat: Seat, reason: string): void;
}

/** One change on its way, and what users had before its transaction where that has changed. */
interface Routing {
  readonly change: RowChange;
  readonly facts: TableMetadata;
  readonly renderer: ChangeRenderer;
  readonly before: ReadonlyMap<string, UserAccess>;
  readonly xid: number;
  /** Written once for all who have to be asked about it. */
  readonly images: Map<Tuple, string>;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Takes each change to those who asked for it and may see it, in order. */
export class Router {
  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** Returns at once when nothing has to be fetched. */
  route(transaction: Transaction, before: ReadonlyMap<string, UserAccess>): Promise<void> | void {
    const { xid } = transaction;
    for (let at = 0; at < transaction.changes.length; at += 1) {
      const change = transaction.changes[at];
      if (change === undefined || !this.#options.index.isWanted(change.relation)) continue;
      const facts = this.#options.tables.known(change.relation);
      if (facts === null || isIncomplete(change)) return this.#routeRest(transaction, before, at);
      this.#routeChange({
        change,
        facts,
        renderer: this.#render(change, facts, transaction),
        before,
        xid,
        images: new Map(),
      });
    }
  }

  async #routeRest(transaction: Transaction, before: ReadonlyMap<string, UserAccess>, from: number): Promise<void> {
    const { xid } = transaction;
    await this.#options.whenVisible(xid);
    for (const change of transaction.changes.slice(from)) {
      if (!this.#options.index.isWanted(change.relation)) continue;
      const facts = await this.#options.tables.describe(change.relation);
      if (facts === null) continue;
      const whole = isIncomplete(change) && this.#hasAudience(change) ? await this.#complete(change, facts) : change;
      this.#routeChange({
        change: whole,
        facts,
        renderer: this.#render(whole, facts, transaction),
        before,
        xid,
        images: new Map(),
      });
    }
  }

  #render(change: RowChange, facts: TableMetadata, { commitTimestamp }: Transaction): ChangeRenderer {
    return new ChangeRenderer({ change, facts, commitTimestamp, maxBytes: this.#options.maxRecordBytes });
  }

  #hasAudience(change: RowChange): boolean {
    const read = readerOf(change.relation, change.record ?? []);
    const [group] = this.#options.index.find(change.relation, change.type, read, true);
    return group !== undefined;
  }

  async #complete(change: RowChange, facts: TableMetadata): Promise<RowChange> {
    const { database, observer } = this.#options;
    return fetchValues(database, change, facts).catch((error: unknown) => {
      observer.note("realtime.value_missing", { table: `${facts.schema}.${facts.name}`, error });
      return change;
    });
  }

  #routeChange(routing: Routing): void {
    const { change, facts } = routing;
    if (!facts.isPublished) return;
    const tuple = change.record ?? change.oldRecord;
    if (tuple === null) return;
    const read = readerOf(change.relation, tuple);
    /** What each identity gets without a further condition, and with one. */
    const plain = new Map<Identity, Listeners>();
    const conditional: { identity: Identity; group: Group; listeners: Listeners }[] = [];
    const candidates = new Map<string, ReadonlySet<string> | null>();
    /** Null: it could be for anybody. */
    const usersOf = (role: string, group: Group): ReadonlySet<string> | null => {
      const view = facts.roles.get(role);
      if (view === undefined || !mayAsk(view, group)) return NOBODY;
      let users = candidates.get(role);
      if (users === undefined) {
        users = this.#findUsers(view, routing, tuple);
        candidates.set(role, users);
      }
      return users;
    };
    const isConcerned = (group: Group): boolean => {
      for (const [role, byUser] of group.audience) if (overlap(byUser, usersOf(role, group))) return true;
      return false;
    };
    for (const group of this.#options.index.find(change.relation, change.type, read, false, isConcerned)) {
      for (const [role, byUser] of group.audience) {
        for (const [identity, listeners] of pick(byUser, usersOf(role, group))) {
          if (group.filter !== null && group.filter.condition !== null)
            conditional.push({ identity, group, listeners });
          else merge(plain, identity, listeners);
        }
      }
    }
    for (const [identity, listeners] of plain) this.#send(routing, tuple, identity, listeners, null);
    for (const { identity, group, listeners } of conditional) this.#send(routing, tuple, identity, listeners, group);
  }

  /** Those who had access before are asked too: a row that is gone is for them. */
  #findUsers(view: RoleView, { change, before }: Routing, tuple: Tuple): ReadonlySet<string> | null {
    const { members } = this.#options;
    const users = findCandidates(view.rule, readerOf(change.relation, tuple), (set, id) => members.findUsers(set, id));
    if (users === null || change.type !== "DELETE" || before.size === 0) return users;
    return new Set([...users, ...before.keys()]);
  }

  #send(routing: Routing, tuple: Tuple, identity: Identity, listeners: Listeners, group: Group | null): void {
    const { change, facts } = routing;
    const view = facts.roles.get(identity.caller.role);
    if (view === undefined) return;
    const isVisible = this.#judge(view, routing, tuple, identity, change.type === "DELETE");
    if (isVisible === false) return;
    const old = change.type === "UPDATE" ? change.oldRecord : null;
    const isOldVisible = old === null ? change.type === "DELETE" : this.#judge(view, routing, old, identity, true);
    const condition = group?.filter?.condition ?? null;
    const isDecidable = isKnown(view.conditionColumns, change, tuple);
    const asksOld = old !== null && isOldVisible === null && isDecidable && isKnown(view.conditionColumns, change, old);
    if (isVisible === true && condition === null && !asksOld) {
      this.#deliverInOrder(identity, routing, view, isOldVisible === true, listeners);
      return;
    }
    if (isVisible === null && !isDecidable) return;
    if (condition !== null && !isKnown(group?.filter?.conditionColumns ?? [], change, tuple)) return;
    if (identity.lane.isFull) return this.#loseAll(listeners, "Changes come faster than they can be checked");
    const rule = isVisible === true && !asksOld ? "true" : view.condition;
    const waiting = new Map(listeners);
    const ready = this.#options.whenVisible(routing.xid);
    // It may fail before its turn comes.
    ready.catch(() => {});
    identity.lane.put({
      ready,
      question: { text: renderQuestion(facts, renderInOrder(rule, condition ?? "true")) },
      images: [tuple, ...(asksOld ? [old] : [])].map((image) => this.#renderImage(routing, image)),
      settle: ([answer, oldAnswer]) => {
        if (answer === true) this.#deliver(routing, view, isOldVisible ?? oldAnswer === true, waiting);
      },
      fail: (error) => {
        this.#options.observer.note("realtime.policy_failed", { table: `${facts.schema}.${facts.name}`, error });
        this.#loseAll(waiting, `The row rules of ${facts.name} could not be checked`);
      },
    });
  }

  #renderImage({ change, facts, images }: Routing, tuple: Tuple): string {
    let image = images.get(tuple);
    if (image === undefined) {
      image = renderImage(change, tuple, facts);
      images.set(tuple, image);
    }
    return image;
  }

  /** Null: the database has to say. */
  #judge(
    view: RoleView,
    { change, before }: Routing,
    tuple: Tuple,
    identity: Identity,
    isPast: boolean,
  ): boolean | null {
    const { userId } = identity;
    const past = isPast && userId !== null ? before.get(userId) : undefined;
    const access = userId === null ? null : (past ?? this.#options.members.accessOf(userId));
    return judge(view.rule, readerOf(change.relation, tuple), { userId, access });
  }

  #deliverInOrder(identity: Identity, routing: Routing, view: RoleView, showsOld: boolean, listeners: Listeners): void {
    if (identity.lane.isIdle) return this.#deliver(routing, view, showsOld, listeners);
    if (identity.lane.isFull) return this.#loseAll(listeners, "Changes come faster than they can be checked");
    const waiting = new Map(listeners);
    identity.lane.call(() => this.#deliver(routing, view, showsOld, waiting));
  }

  #deliver({ renderer }: Routing, { columns }: RoleView, showsOld: boolean, listeners: Listeners): void {
    for (const [seat, bindings] of listeners) {
      if (!seat.isLive || seat.isGone) continue;
      const [first] = bindings;
      if (first !== undefined && bindings.length === 1) {
        this.#hand(seat, [first.id], renderer.render({ columns, select: first.select, showsOld }));
        continue;
      }
      const idsByText = new Map<string, number[]>();
      for (const { id, select } of bindings.toSorted((left, right) => left.id - right.id)) {
        const text = renderer.render({ columns, select, showsOld });
        const ids = idsByText.get(text);
        if (ids === undefined) idsByText.set(text, [id]);
        else ids.push(id);
      }
      for (const [text, ids] of idsByText) this.#hand(seat, ids, text);
    }
  }

  /** One subscriber's fault is its own. */
  #hand(seat: Seat, ids: readonly number[], text: string): void {
    try {
      seat.subscriber.deliver(ids, text);
    } catch {
      this.#options.lose(seat, "The change could not be handed over");
    }
  }

  #loseAll(listeners: Listeners, reason: string): void {
    for (const seat of listeners.keys()) if (!seat.isGone) this.#options.lose(seat, reason);
  }
}

/** Whoever has lost the right to read a column cannot find out about it by a filter either. */
function mayAsk({ columns }: RoleView, { filter }: Group): boolean {
  return columns.size > 0 && (filter === null || filter.columns.every((column) => columns.has(column)));
}

/** A filter is only asked about rows that the rules show: how it fails, or for how long it runs, would tell of the others. */
function renderInOrder(rule: string, condition: string): string {
  return `case when (${rule}) then (${condition}) else false end`;
}

/** A condition on what the row does not tell cannot be decided. Null stands for every column. */
function isKnown(columns: readonly string[] | null, change: RowChange, tuple: Tuple): boolean {
  if (columns === null) return !tuple.includes(undefined);
  const read = readerOf(change.relation, tuple);
  return columns.every((column) => read(column) !== undefined);
}
