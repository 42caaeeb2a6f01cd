/** Columns with numbers, and what an empty field stands for. */
type Numbers = Readonly<Record<string, number | null>>;

/** The numbers of a row as they are typed. */
export function typeNumbers<Columns extends Numbers>(
  row: { readonly [Column in keyof Columns]: number | null },
  columns: Columns,
): Readonly<Record<keyof Columns, string>> {
  const typed = Object.keys(columns).map((column) => [column, String(row[column] ?? "")]);
  return Object.fromEntries(typed) as Record<keyof Columns, string>;
}

/** The numbers of a form, and column → error message of those that are none. */
export function parseNumbers<Columns extends Numbers>(
  form: Readonly<Record<keyof Columns, string>>,
  columns: Columns,
): {
  readonly numbers: { readonly [Column in keyof Columns]: number | Columns[Column] };
  readonly faults: Readonly<Record<string, string>>;
} {
  const entries = Object.entries(columns).map(([column, whenEmpty]) => {
    const text = (form[column] ?? "").trim();
    return [column, text === "" ? whenEmpty : Number(text)] as const;
  });
  const wrong = entries.filter(([, value]) => Number.isNaN(value));
  return {
    numbers: Object.fromEntries(entries) as { [Column in keyof Columns]: number | Columns[Column] },
    faults: Object.fromEntries(wrong.map(([column]) => [column, "Must be a number."])),
  };
}
