import { databaseRoleOf } from "../../../db/index.ts";
import type { ReadColumn } from "../../feed/read-column.ts";
import type { ReplicatedRelation } from "../../feed/row-change.ts";
import { tableKey, tableKeys } from "../../table-key.ts";
import type { BindingGroup, Identity, PreparedBinding, Subscription } from "../subscription.ts";

type Identities = Map<Identity, Map<Subscription, PreparedBinding[]>>;

interface TableBindings {
  readonly groups: Map<string, BindingGroup>;
  /** By column, then by value. */
  readonly byValue: Map<string, Map<string, Set<BindingGroup>>>;
  readonly unindexed: Set<BindingGroup>;
}

/** Finds the bindings that a row matches. The cost depends on the number of distinct filters, not of subscribers. */
export class BindingIndex {
  readonly #tables = new Map<string, TableBindings>();

  /** The keys of the tables with bindings. */
  tables(): Iterable<string> {
    return this.#tables.keys();
  }

  hasBindings(relation: ReplicatedRelation): boolean {
    return tableKeys(relation.schema, relation.name).some((key) => this.#tables.has(key));
  }

  add(subscription: Subscription): void {
    for (const binding of subscription.bindings) {
      const key = tableKey(binding.schema, binding.table);
      const makeTable = (): TableBindings => ({ groups: new Map(), byValue: new Map(), unindexed: new Set() });
      const table = getOrAdd(this.#tables, key, makeTable);
      const { identity } = subscription;
      const group = findGroup(table, binding);
      const byUser = getOrAdd(group.members, databaseRoleOf(identity.principal), () => new Map<string, Identities>());
      const identities = getOrAdd(byUser, identity.userId ?? "", (): Identities => new Map());
      const subscriptions = getOrAdd(identities, identity, () => new Map<Subscription, PreparedBinding[]>());
      getOrAdd(subscriptions, subscription, () => []).push(binding);
    }
  }

  remove(subscription: Subscription): void {
    const { identity } = subscription;
    for (const binding of subscription.bindings) {
      const key = tableKey(binding.schema, binding.table);
      const table = this.#tables.get(key);
      const group = table?.groups.get(groupKey(binding));
      if (table === undefined || group === undefined) continue;
      const byUser = group.members.get(databaseRoleOf(identity.principal));
      const identities = byUser?.get(identity.userId ?? "");
      const subscriptions = identities?.get(identity);
      subscriptions?.delete(subscription);
      if (subscriptions?.size === 0) identities?.delete(identity);
      if (identities?.size === 0) byUser?.delete(identity.userId ?? "");
      if (byUser?.size === 0) group.members.delete(databaseRoleOf(identity.principal));
      if (group.members.size > 0) continue;
      removeGroup(table, binding, group);
      if (table.groups.size === 0) this.#tables.delete(key);
    }
  }

  clear(): void {
    this.#tables.clear();
  }

  /** Groups whose event and filter the row passes, without the conditions that only the database evaluates. */
  *find(
    relation: ReplicatedRelation,
    event: string,
    read: ReadColumn,
    isLenient: boolean,
    hasRecipients: (group: BindingGroup) => boolean = () => true,
  ): Generator<BindingGroup> {
    for (const key of tableKeys(relation.schema, relation.name)) {
      const table = this.#tables.get(key);
      if (table === undefined) continue;
      // Recipients come first, because evaluating a filter may cost more.
      const passes = (group: BindingGroup): boolean =>
        (group.event === "*" || group.event === event) &&
        hasRecipients(group) &&
        (group.filter === null || group.filter.passes(read, isLenient));
      for (const [column, groups] of table.byValue) {
        const value = read(column);
        if (value === undefined && isLenient) for (const all of groups.values()) yield* [...all].filter(passes);
        if (typeof value === "string") for (const group of groups.get(value) ?? []) if (passes(group)) yield group;
      }
      for (const group of table.unindexed) if (passes(group)) yield group;
    }
  }
}

function findGroup(table: TableBindings, binding: PreparedBinding): BindingGroup {
  const key = groupKey(binding);
  const known = table.groups.get(key);
  if (known !== undefined) return known;
  const group: BindingGroup = { event: binding.event, filter: binding.filter, members: new Map() };
  table.groups.set(key, group);
  const index = binding.filter?.key ?? null;
  if (index === null) table.unindexed.add(group);
  else
    getOrAdd(
      getOrAdd(table.byValue, index.column, () => new Map<string, Set<BindingGroup>>()),
      index.value,
      () => new Set<BindingGroup>(),
    ).add(group);
  return group;
}

function removeGroup(table: TableBindings, binding: PreparedBinding, group: BindingGroup): void {
  table.groups.delete(groupKey(binding));
  table.unindexed.delete(group);
  const index = group.filter?.key ?? null;
  if (index === null) return;
  const values = table.byValue.get(index.column);
  const groups = values?.get(index.value);
  groups?.delete(group);
  if (groups?.size === 0) values?.delete(index.value);
  if (values?.size === 0) table.byValue.delete(index.column);
}

function groupKey({ event, filterText }: PreparedBinding): string {
  return `${event} ${filterText}`;
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
