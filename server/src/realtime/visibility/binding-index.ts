import type { Relation } from "../feed/row-change.ts";
import type { Identity } from "./identity.ts";
import type { ReadColumn } from "./row-image.ts";
import type { Group, Seat, SeatBinding } from "./seat.ts";

type Identities = Map<Identity, Map<Seat, SeatBinding[]>>;

interface TableBindings {
  readonly groups: Map<string, Group>;
  /** Column, then value. */
  readonly byValue: Map<string, Map<string, Set<Group>>>;
  readonly others: Set<Group>;
}

/** Finds the bindings that a row is of interest to; the cost is per distinct question, not per subscriber. */
export class BindingIndex {
  readonly #tables = new Map<string, TableBindings>();

  isWanted(relation: Relation): boolean {
    return tableKeys(relation.schema, relation.name).some((key) => this.#tables.has(key));
  }

  add(seat: Seat): void {
    for (const binding of seat.bindings) {
      const key = tableKey(binding.schema, binding.table);
      let table = this.#tables.get(key);
      if (table === undefined) {
        table = { groups: new Map(), byValue: new Map(), others: new Set() };
        this.#tables.set(key, table);
      }
      const { identity } = seat;
      const group = findGroup(table, binding);
      const byUser = getOrAdd(group.audience, identity.caller.role, () => new Map<string, Identities>());
      const identities = getOrAdd(byUser, identity.userId ?? "", (): Identities => new Map());
      const seats = getOrAdd(identities, identity, () => new Map<Seat, SeatBinding[]>());
      getOrAdd(seats, seat, () => []).push(binding);
    }
  }

  remove(seat: Seat): void {
    const { identity } = seat;
    for (const binding of seat.bindings) {
      const key = tableKey(binding.schema, binding.table);
      const table = this.#tables.get(key);
      const group = table?.groups.get(groupKey(binding));
      if (table === undefined || group === undefined) continue;
      const byUser = group.audience.get(identity.caller.role);
      const identities = byUser?.get(identity.userId ?? "");
      const seats = identities?.get(identity);
      seats?.delete(seat);
      if (seats?.size === 0) identities?.delete(identity);
      if (identities?.size === 0) byUser?.delete(identity.userId ?? "");
      if (byUser?.size === 0) group.audience.delete(identity.caller.role);
      if (group.audience.size > 0) continue;
      dropGroup(table, binding, group);
      if (table.groups.size === 0) this.#tables.delete(key);
    }
  }

  clear(): void {
    this.#tables.clear();
  }

  /** Groups whose event and filter the row passes, as far as can be said here. */
  *find(
    relation: Relation,
    event: string,
    read: ReadColumn,
    isLenient: boolean,
    isConcerned: (group: Group) => boolean = () => true,
  ): Generator<Group> {
    for (const key of tableKeys(relation.schema, relation.name)) {
      const table = this.#tables.get(key);
      if (table === undefined) continue;
      // A row that nobody of a group may see is not held against its filter, which may cost more.
      const passes = (group: Group): boolean =>
        (group.event === "*" || group.event === event) &&
        isConcerned(group) &&
        (group.filter === null || group.filter.passes(read, isLenient));
      for (const [column, groups] of table.byValue) {
        const value = read(column);
        if (value === undefined && isLenient) for (const all of groups.values()) yield* [...all].filter(passes);
        if (typeof value === "string") for (const group of groups.get(value) ?? []) if (passes(group)) yield group;
      }
      for (const group of table.others) if (passes(group)) yield group;
    }
  }
}

function findGroup(table: TableBindings, binding: SeatBinding): Group {
  const key = groupKey(binding);
  const known = table.groups.get(key);
  if (known !== undefined) return known;
  const group: Group = { event: binding.event, filter: binding.filter, audience: new Map() };
  table.groups.set(key, group);
  const index = binding.filter?.key ?? null;
  if (index === null) table.others.add(group);
  else
    getOrAdd(
      getOrAdd(table.byValue, index.column, () => new Map<string, Set<Group>>()),
      index.value,
      () => new Set<Group>(),
    ).add(group);
  return group;
}

function dropGroup(table: TableBindings, binding: SeatBinding, group: Group): void {
  table.groups.delete(groupKey(binding));
  table.others.delete(group);
  const index = group.filter?.key ?? null;
  if (index === null) return;
  const values = table.byValue.get(index.column);
  const groups = values?.get(index.value);
  groups?.delete(group);
  if (groups?.size === 0) values?.delete(index.value);
  if (values?.size === 0) table.byValue.delete(index.column);
}

function groupKey({ event, filterText }: SeatBinding): string {
  return `${event} ${filterText}`;
}

function tableKey(schema: string, table: string): string {
  return `${schema}\0${table}`;
}

function tableKeys(schema: string, table: string): string[] {
  return [tableKey(schema, table), tableKey(schema, "*"), tableKey("*", table), tableKey("*", "*")];
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
