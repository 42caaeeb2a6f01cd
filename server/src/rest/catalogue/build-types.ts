import type { DataType, Representation } from "./catalogue.ts";
import type { CatalogueTypeRow } from "./sql/select-catalogue.ts";
import { decideTypeCategory, type TypeCategory } from "./type-category.ts";

/** A type with further properties that only columns and functions need. */
export interface TypeEntry {
  readonly type: DataType;
  /** What a domain adds to a column that is declared with it. */
  readonly domain: DomainRules | null;
  /** The base type; of a type that is not a domain, the type itself. */
  readonly root: CatalogueTypeRow;
}

interface DomainRules {
  readonly isNotNull: boolean;
  readonly default: string | null;
  /** -1 when it sets none. */
  readonly modifier: number;
}

export function buildTypes(rows: readonly CatalogueTypeRow[]): Map<number, TypeEntry> {
  const byOid = new Map(rows.map((row) => [row.oid, row]));
  return new Map(rows.map((row) => [row.oid, buildType(row, byOid)]));
}

function buildType(row: CatalogueTypeRow, byOid: ReadonlyMap<number, CatalogueTypeRow>): TypeEntry {
  const chain = [row, ...domainsBeneath(row, byOid)];
  const root = chain.at(-1) ?? row;
  const category = decideTypeCategory(root);
  return {
    root,
    domain: row.beneath === 0 ? null : gatherDomain(chain),
    type: {
      name: row.name,
      label: root.label,
      category,
      elementCategory: category === "array" ? categoryOf(root.element, byOid) : null,
      isDomain: row.beneath !== 0,
      enumValues: root.values ?? [],
      rowOf: root.rowSchema === null || root.rowName === null ? null : { schema: root.rowSchema, name: root.rowName },
      ...(row.casts !== null && { representation: buildRepresentation(row.casts) }),
    },
  };
}

function buildRepresentation(casts: NonNullable<CatalogueTypeRow["casts"]>): Representation {
  const find = (direction: "to" | "from", other: "json" | "text") => {
    const cast = casts.find((one) => one.direction === direction && one.other === other);
    return cast === undefined ? null : { schema: cast.schema, name: cast.name };
  };
  return { toJson: find("to", "json"), fromText: find("from", "text"), fromJson: find("from", "json") };
}

function domainsBeneath(row: CatalogueTypeRow, byOid: ReadonlyMap<number, CatalogueTypeRow>): CatalogueTypeRow[] {
  const beneath = byOid.get(row.beneath);
  return beneath === undefined ? [] : [beneath, ...domainsBeneath(beneath, byOid)];
}

/** A domain over a domain inherits what it does not define. */
function gatherDomain(chain: readonly CatalogueTypeRow[]): DomainRules {
  const domains = chain.filter(({ beneath }) => beneath !== 0);
  return {
    isNotNull: domains.some(({ isNotNull }) => isNotNull),
    default: domains.find((domain) => domain.default !== null)?.default ?? null,
    modifier: domains.find(({ modifier }) => modifier >= 0)?.modifier ?? -1,
  };
}

function categoryOf(oid: number, byOid: ReadonlyMap<number, CatalogueTypeRow>): TypeCategory {
  const row = byOid.get(oid);
  if (row === undefined) return "other";
  return decideTypeCategory(domainsBeneath(row, byOid).at(-1) ?? row);
}
