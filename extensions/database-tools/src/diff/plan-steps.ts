import { ITEM_KINDS, type Item } from "./item.ts";

/** One change. The first of the alternatives that the database accepts is taken. */
export interface Step {
  readonly key: string;
  readonly alternatives: readonly (readonly string[])[];
}

/** The changes that make the first list of items the second, in an order that mostly works. */
export function planSteps(from: readonly Item[], to: readonly Item[]): readonly Step[] {
  const before = new Map(from.map((item) => [item.key, item]));
  const after = new Map(to.map((item) => [item.key, item]));
  const removed = from.filter(({ key }) => !after.has(key));
  const added = to.filter(({ key }) => !before.has(key));
  const isNew = (key: string | null): boolean => key !== null && after.has(key) && !before.has(key);
  const inline = (item: Item): boolean => item.kind === "column" || item.extra?.isInline === true;
  return [
    // The parts of an object go with it.
    ...removed
      .filter(({ parent }) => parent === null || !before.has(parent) || after.has(parent))
      .toSorted((one, other) => rankOf(other) - rankOf(one))
      .map((item) => ({ key: item.key, alternatives: [[item.undo]] })),
    ...[...to]
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .flatMap((item): Step[] => {
        const old = before.get(item.key);
        if (old !== undefined) return isSame(old, item) ? [] : [changeItem(old, item, from)];
        if (inline(item) && isNew(item.parent)) return [];
        // Default privileges may grant it with the object, which the next comparison knows.
        if (item.kind === "grant" && isNew(item.parent)) return [];
        const parts = added.filter(({ parent }) => parent === item.key).filter(inline);
        return [{ key: item.key, alternatives: [[createItem(item, parts)]] }];
      }),
  ];
}

/** What differs, as keys, for messages. */
export function listDifferences(from: readonly Item[], to: readonly Item[]): readonly string[] {
  const before = new Map(from.map((item) => [item.key, item]));
  const after = new Set(to.map(({ key }) => key));
  return [
    ...from.filter(({ key }) => !after.has(key)).map(({ key }) => key),
    ...to
      .filter((item) => {
        const old = before.get(item.key);
        return old === undefined || !isSame(old, item);
      })
      .map(({ key }) => key),
  ];
}

function isSame(one: Item, other: Item): boolean {
  return one.text === other.text;
}

function rankOf({ kind }: Item): number {
  return ITEM_KINDS.indexOf(kind);
}

function createItem(item: Item, parts: readonly Item[]): string {
  const { text, extra } = item;
  switch (item.kind) {
    case "table": {
      if (extra?.tail?.startsWith(" partition of ") === true) return `${extra.head ?? ""}${extra.tail}`;
      const lines = [...parts].toSorted((one, other) => rankOf(one) - rankOf(other)).map((part) => `  ${part.text}`);
      return `${extra?.head ?? ""} (\n${lines.join(",\n")}\n)${extra?.tail ?? ""}`;
    }
    case "column":
      return `alter table ${extra?.table ?? ""} add column ${text}`;
    case "constraint":
    case "foreign key":
      return `alter table ${extra?.table ?? ""} add ${text}`;
    default:
      return text;
  }
}

function changeItem(old: Item, item: Item, from: readonly Item[]): Step {
  const recreate = [old.undo, createItem(item, [])];
  // The dependents of views and functions have no rows, and the next comparison creates them again.
  const cascade = [`${old.undo} cascade`, createItem(item, [])];
  switch (item.kind) {
    case "enum":
      return { key: item.key, alternatives: [addLabels(old, item), recreate].filter((list) => list.length > 0) };
    case "column":
      return { key: item.key, alternatives: changeColumn(old, item, from) };
    case "view":
      return {
        key: item.key,
        alternatives: [[item.text.replace(/^create view/, "create or replace view")], recreate, cascade],
      };
    case "function":
      return { key: item.key, alternatives: [[item.text], recreate, cascade] };
    case "sequence": {
      const alter = item.text.replace(/^create sequence/, "alter sequence");
      return { key: item.key, alternatives: [[alter.endsWith(" cycle") ? alter : `${alter} no cycle`]] };
    }
    case "grant":
      return { key: item.key, alternatives: [changeGrant(old, item)] };
    case "comment":
    case "replica identity":
    case "sequence owner":
      return { key: item.key, alternatives: [[item.text]] };
    case "table":
      return { key: item.key, alternatives: [changeOptions(item)] };
    default:
      return { key: item.key, alternatives: [recreate] };
  }
}

/** Empty when a label was removed or moved, which PostgreSQL cannot do. */
function addLabels(old: Item, item: Item): readonly string[] {
  const [had, has] = [old.extra?.labels ?? [], item.extra?.labels ?? []];
  if (had.join("\n") !== has.filter((label) => had.includes(label)).join("\n")) return [];
  const name = item.key.replace(/^type /, "");
  return has.flatMap((label, place) => {
    if (had.includes(label)) return [];
    const previous = has[place - 1];
    const where = previous === undefined ? `before ${quote(has[place + 1] ?? "")}` : `after ${quote(previous)}`;
    return [`alter type ${name} add value ${quote(label)} ${where}`];
  });
}

function changeColumn(old: Item, item: Item, from: readonly Item[]): readonly (readonly string[])[] {
  const [was, is] = [old.extra ?? {}, item.extra ?? {}];
  const alter = `alter table ${is.table ?? ""} alter column ${is.name ?? ""}`;
  const recreate = [old.undo, createItem(item, [])];
  if (was.generated !== is.generated) return [recreate];
  const changesType = was.type !== is.type;
  const plain = [
    // A default of the old type may not fit the new one.
    ...(changesType && was.default !== null ? [`${alter} drop default`] : []),
    ...(changesType
      ? [`${alter} type ${is.type ?? ""} using ${is.name ?? ""}::${(is.type ?? "").replace(/ collate .*$/, "")}`]
      : []),
    ...(was.identity !== is.identity && was.identity !== null ? [`${alter} drop identity`] : []),
    ...(is.default !== null && (changesType || was.default !== is.default)
      ? [`${alter} set default ${is.default ?? ""}`]
      : []),
    ...(is.default === null && was.default !== null && !changesType ? [`${alter} drop default`] : []),
    ...(was.isNotNull === is.isNotNull ? [] : [`${alter} ${is.isNotNull === true ? "set" : "drop"} not null`]),
    ...(was.identity !== is.identity && is.identity !== null
      ? [`${alter} add generated ${is.identity ?? ""} as identity`]
      : []),
  ];
  // Views and policies that read the column prevent the change; the next comparison creates them again.
  const dependents = from.find(({ key }) => key === item.parent)?.extra?.dependents ?? [];
  return dependents.length === 0 ? [plain] : [plain, [...dependents, ...plain]];
}

function changeGrant(old: Item, item: Item): readonly string[] {
  const [had, has] = [old.extra?.rights ?? [], item.extra?.rights ?? []];
  const { on = "", to = "" } = item.extra ?? {};
  const [added, removed] = [has.filter((right) => !had.includes(right)), had.filter((right) => !has.includes(right))];
  return [
    ...(added.length === 0 ? [] : [`grant ${added.join(", ")} on ${on} to ${to}`]),
    ...(removed.length === 0
      ? []
      : [`revoke ${removed.join(", ")} on ${on} from ${to.replace(/ with grant option$/, "")}`]),
  ];
}

/** Only storage parameters of a table can be changed. */
function changeOptions({ key, extra }: Item): readonly string[] {
  const options = / with \((.*)\)$/.exec(extra?.tail ?? "")?.[1];
  const table = key.replace(/^table /, "");
  return options === undefined ? [] : [`alter table ${table} set (${options})`];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
