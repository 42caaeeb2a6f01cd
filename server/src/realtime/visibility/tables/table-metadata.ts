import { type ColumnType, describeTypes, type PgTypeRow } from "../../feed/column-type.ts";
import { parsePolicy } from "../rules/parse-policy.ts";
import type { Rule } from "../rules/rule.ts";
import type { PublishedChanges, TableMetadataRow } from "./sql/select-table-metadata.ts";

/** What determines which roles see which rows and columns of a table. The catalogue of REST describes what the API exposes of it. */
export interface TableMetadata {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** The kinds of changes that are published; null when the table is not published. */
  readonly published: PublishedChanges | null;
  readonly primaryKey: readonly string[];
  readonly types: ReadonlyMap<string, ColumnType>;
  readonly roles: ReadonlyMap<string, RoleView>;
}

export interface RoleView {
  readonly columns: ReadonlySet<string>;
  readonly rule: Rule;
  /** The rule as an SQL condition. */
  readonly condition: string;
  /** Columns that the condition uses; null when it uses the whole row. */
  readonly conditionColumns: readonly string[] | null;
}

const ALL_ROWS: Pick<RoleView, "rule" | "condition" | "conditionColumns"> = {
  rule: { kind: "constant", isTrue: true },
  condition: "true",
  conditionColumns: [],
};

export function describeTable(row: TableMetadataRow, typeRows: readonly PgTypeRow[]): TableMetadata {
  const { oid, schema, name, published, primaryKey } = row;
  const described = describeTypes(typeRows);
  const types = new Map<string, ColumnType>();
  for (const column of row.columns) {
    const type = described.get(column.typeOid);
    if (type === undefined) continue;
    // Texts of such a collation can be equal without being the same, so only the database can compare them.
    const isLoose = row.hasLooseCollation && type.form.kind === "text";
    types.set(column.name, isLoose ? { ...type, form: { kind: "other" } } : type);
  }
  const roles = new Map<string, RoleView>();
  for (const [role, { isExempt, columns }] of Object.entries(row.roles)) {
    const view = isExempt || !row.hasRowRules ? ALL_ROWS : describeRules(row, role);
    roles.set(role, { ...view, columns: new Set(columns) });
  }
  return { oid, schema, name, published, primaryKey, types, roles };
}

/** Combines policies as PostgreSQL does: any permissive and all restrictive ones must pass. */
function describeRules(row: TableMetadataRow, role: string): Pick<RoleView, "rule" | "condition" | "conditionColumns"> {
  const policies = row.policies.filter(({ roles }) => roles.includes(role));
  const permissive = policies.filter(({ isPermissive }) => isPermissive);
  const restrictive = policies.filter(({ isPermissive }) => !isPermissive);
  if (permissive.length === 0)
    return { rule: { kind: "constant", isTrue: false }, condition: "false", conditionColumns: [] };

  const parse = (condition: string): Rule => (row.hasLooseCollation ? { kind: "opaque" } : parsePolicy(condition));
  const rule: Rule = {
    kind: "all",
    operands: [
      { kind: "any", operands: permissive.map(({ condition }) => parse(condition)) },
      ...restrictive.map(({ condition }) => parse(condition)),
    ],
  };
  const condition = [
    `(${permissive.map((policy) => `(${policy.condition})`).join(" or ")})`,
    ...restrictive.map((policy) => `(${policy.condition})`),
  ].join(" and ");
  // The catalog does not record that a policy uses the whole row, so its text is searched.
  const usesWholeRow = policies.some((policy) => policy.condition.includes(".*"));
  const conditionColumns = usesWholeRow ? null : [...new Set(policies.flatMap(({ columns }) => columns))];
  return { rule, condition, conditionColumns };
}
