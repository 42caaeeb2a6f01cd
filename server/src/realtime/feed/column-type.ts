/** What is known of a type, as far as JSON and filters need it. A domain is what it is made of, under its own name. */
export interface ColumnType {
  /** As in pg_type; an array's begins with an underscore. */
  readonly name: string;
  /** How a statement names the type of an operand: the base type of a domain, whose constraints do not apply to operands. */
  readonly sqlName: string;
  readonly form: TypeForm;
}

export type TypeForm =
  | { readonly kind: "number" | "float" | "boolean" | "json" | "timestamp" | "date" | "uuid" | "text" | "other" }
  | { readonly kind: "enum"; readonly labels: readonly string[] }
  | { readonly kind: "array"; readonly element: TypeForm; readonly delimiter: string }
  | { readonly kind: "composite"; readonly fields: readonly { readonly name: string; readonly form: TypeForm }[] };

/** A row of pg_type. */
export interface PgTypeRow {
  readonly oid: number;
  readonly name: string;
  readonly sqlName: string;
  readonly kind: string;
  readonly isArray: boolean;
  readonly elementOid: number;
  readonly baseOid: number;
  readonly delimiter: string;
  readonly labels: readonly string[];
  readonly fields: readonly { readonly name: string; readonly oid: number }[];
}

const FORMS: Readonly<Record<number, TypeForm>> = {
  16: { kind: "boolean" },
  20: { kind: "number" },
  21: { kind: "number" },
  23: { kind: "number" },
  26: { kind: "number" },
  1700: { kind: "number" },
  700: { kind: "float" },
  701: { kind: "float" },
  114: { kind: "json" },
  3802: { kind: "json" },
  1114: { kind: "timestamp" },
  1184: { kind: "timestamp" },
  1082: { kind: "date" },
  2950: { kind: "uuid" },
  19: { kind: "text" },
  25: { kind: "text" },
  1043: { kind: "text" },
};

const OTHER: TypeForm = { kind: "other" };

/** The rows must hold everything that the types are made of. */
export function describeTypes(rows: readonly PgTypeRow[]): Map<number, ColumnType> {
  const byOid = new Map(rows.map((row) => [row.oid, row]));
  const formOf = (oid: number): TypeForm => {
    const known = FORMS[oid];
    if (known !== undefined) return known;
    const row = byOid.get(oid);
    if (row === undefined) return OTHER;
    if (row.kind === "d") return formOf(row.baseOid);
    if (row.isArray) return { kind: "array", element: formOf(row.elementOid), delimiter: row.delimiter };
    if (row.kind === "e") return { kind: "enum", labels: row.labels };
    if (row.kind !== "c") return OTHER;
    return { kind: "composite", fields: row.fields.map(({ name, oid: field }) => ({ name, form: formOf(field) })) };
  };
  const baseOf = (row: PgTypeRow): PgTypeRow => {
    const base = row.kind === "d" ? byOid.get(row.baseOid) : undefined;
    return base === undefined ? row : baseOf(base);
  };
  return new Map(rows.map((row) => [row.oid, { name: row.name, sqlName: baseOf(row).sqlName, form: formOf(row.oid) }]));
}
