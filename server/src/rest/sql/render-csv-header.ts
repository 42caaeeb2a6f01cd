import type { QualifiedName } from "../catalogue/catalogue.ts";
import type { Output } from "../plan/plan.ts";
import { listOutputNames } from "./output-names.ts";
import { quoteLiteral, quoteName } from "./quote.ts";

/** The columns of `*`: those of a relation, or names. */
export type StarColumns = { readonly relation: QualifiedName } | { readonly names: readonly string[] };

/** The header line as an expression; a document without rows has it too. */
export function renderCsvHeader(outputs: readonly Output[], star: StarColumns): string {
  // Grouped rows may have outputs with the same key, of which one is shown.
  if (outputs.every(({ kind }) => kind !== "star")) return renderNames([...new Set(listOutputNames(outputs))]);
  const parts = outputs.map((output) => {
    if (output.kind !== "star") return renderNames(listOutputNames([output]));
    return "names" in star ? renderNames(star.names) : renderColumnsOf(star.relation);
  });
  return parts.join(`||','||`);
}

function renderNames(names: readonly string[]): string {
  return quoteLiteral(names.map(quoteField).join(","));
}

function quoteField(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

function renderColumnsOf(relation: QualifiedName): string {
  const name = "attname::text";
  const quoted = `case when ${name} ~ E'[",\\r\\n]' then '"'||pg_catalog.replace(${name},'"','""')||'"' else ${name} end`;
  const table = `${quoteLiteral(quoteName(relation))}::pg_catalog.regclass`;
  const from = `pg_catalog.pg_attribute where attrelid=${table} and attnum>0 and not attisdropped`;
  return `(select pg_catalog.string_agg(${quoted},',' order by attnum) from ${from})`;
}
