import type { TypeEntry } from "./build-types.ts";
import type { Column } from "./catalogue.ts";
import type { CatalogueRows, ColumnRow } from "./sql/select-catalogue.ts";

/** Columns of one relation or composite type, by position and by name. */
export interface ColumnSet {
  readonly byName: ReadonlyMap<string, Column>;
  readonly byPosition: ReadonlyMap<number, Column>;
}

export const NO_COLUMNS: ColumnSet = { byName: new Map(), byPosition: new Map() };

export function buildColumns(
  { columns: rows, details }: CatalogueRows,
  types: ReadonlyMap<number, TypeEntry>,
): Map<number, ColumnSet> {
  const defaults = new Map(details?.defaults.map(([relation, position, text]) => [`${relation}.${position}`, text]));
  const sets = new Map<number, { byName: Map<string, Column>; byPosition: Map<number, Column> }>();
  for (const row of rows) {
    const entry = types.get(row.type);
    if (entry === undefined) continue;
    const set = sets.get(row.relation) ?? { byName: new Map(), byPosition: new Map() };
    sets.set(row.relation, set);
    const column = buildColumn(row, entry, defaults.get(`${row.relation}.${row.position}`) ?? null);
    set.byName.set(column.name, column);
    set.byPosition.set(row.position, column);
  }
  return sets;
}

function buildColumn(row: ColumnRow, { type, domain, root }: TypeEntry, defaultText: string | null): Column {
  const isGenerated = row.generated !== "";
  const identity = row.identity === "a" ? "always" : row.identity === "d" ? "by default" : null;
  const ownDefault = row.hasDefault && !isGenerated ? defaultText : null;
  return {
    name: row.name,
    type,
    declaredType: row.declared,
    isNullable: !row.isNotNull && domain?.isNotNull !== true,
    hasDefault: row.hasDefault || identity !== null || (domain?.default ?? null) !== null,
    default: row.hasDefault ? ownDefault : (domain?.default ?? null),
    identity,
    isGenerated,
    isWritable: !isGenerated && identity !== "always",
    maxLength: decideMaxLength(root.plainName, domain === null ? row.modifier : domain.modifier),
    comment: row.comment,
  };
}

/** PostgreSQL counts four bytes of header into the modifier of a text type. */
function decideMaxLength(plainName: string, modifier: number): number | null {
  const isLimited = plainName === "varchar" || plainName === "bpchar";
  return isLimited && modifier > 4 ? modifier - 4 : null;
}

/** A named output column of a function. */
export function buildResultColumn(name: string, { type }: TypeEntry): Column {
  return {
    name,
    type,
    declaredType: type.name,
    isNullable: true,
    hasDefault: false,
    default: null,
    identity: null,
    isGenerated: false,
    isWritable: false,
    maxLength: null,
    comment: null,
  };
}
