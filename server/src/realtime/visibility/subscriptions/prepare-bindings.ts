import pg from "pg";
import type { PipelinedStatement, Principal } from "../../../db/index.ts";
import { AppError } from "../../../errors/index.ts";
import { OPERATORS, type Operator } from "../../../operators/index.ts";
import type { Binding } from "../../changes.ts";
import type { CallerDatabase } from "../checks/caller-database.ts";
import { canonicalValues, SET_TEXT_FORMS } from "../checks/sql/canonical-values.ts";
import { checkRows, renderCheck } from "../checks/sql/check-rows.ts";
import { compileRegexes } from "../checks/sql/compile-regexes.ts";
import { compileFilter, type RowFilter } from "../compile-filter.ts";
import { type FilterTerm, parseFilter } from "../parse-filter.ts";
import type { TableMetadataCache } from "../tables/table-metadata-cache.ts";
import type { TableMetadata } from "../tables/table-metadata.ts";
import type { PreparedBinding } from "./subscription.ts";

export interface BindingContext {
  readonly tables: TableMetadataCache;
  readonly database: CallerDatabase;
}

const WILDCARD = "*";

/** What a subscriber asks for, understood. Throws what the join is answered with. */
export async function prepareBindings(
  room: BindingContext,
  caller: Principal,
  bindings: readonly Binding[],
): Promise<PreparedBinding[]> {
  return Promise.all(bindings.map((binding) => prepareBinding(room, caller, binding)));
}

async function prepareBinding(room: BindingContext, caller: Principal, binding: Binding): Promise<PreparedBinding> {
  const { id, event, schema, table } = binding;
  const terms = parseFilter(binding.filter ?? "");
  if (schema === WILDCARD || table === WILDCARD) {
    if (terms.length > 0) throw refuse("A filter needs a schema and a table");
    if (binding.select !== null) throw refuse("A list of columns needs a schema and a table");
    return { id, event, schema, table, filterText: "", filter: null, select: null };
  }
  const facts = await findTable(room, caller, binding, terms);
  const known = await writeCanonically(room, caller, terms, facts);
  const filter = known.length === 0 ? null : compileFilter(known, facts.types);
  await tryCondition(room, caller, { facts, filter, terms });
  return { id, event, schema, table, filterText: JSON.stringify(known), filter, select: binding.select };
}

async function findTable(
  { tables }: BindingContext,
  caller: Principal,
  binding: Binding,
  terms: readonly FilterTerm[],
): Promise<TableMetadata> {
  const { schema, table } = binding;
  const known = await tables.find(schema, table);
  const columns = [...terms.map((term) => term.column), ...(binding.select ?? [])];
  if (findFault(known, caller, binding, columns) === null && known !== null) return known;
  // What is remembered may be from before somebody mended it.
  const facts = await tables.reload(schema, table);
  const fault = findFault(facts, caller, binding, columns);
  if (fault !== null || facts === null) throw refuse(fault ?? "");
  return facts;
}

function findFault(
  facts: TableMetadata | null,
  { role }: Principal,
  { schema, table }: Binding,
  used: readonly string[],
): string | null {
  const columns = facts?.roles.get(role)?.columns;
  // Whoever may not read the table is not told whether there is one.
  if (facts === null || columns === undefined || columns.size === 0)
    return `There is no table ${schema}.${table} that can be subscribed to`;
  if (!facts.isPublished)
    return `${schema}.${table} is not in the publication; its owner can add it: alter publication swarmbase add table ${schema}.${table}`;
  const unknown = used.find((column) => !columns.has(column));
  return unknown === undefined ? null : `${schema}.${table} has no column ${unknown} that can be used here`;
}

async function writeCanonically(
  room: BindingContext,
  caller: Principal,
  terms: readonly FilterTerm[],
  facts: TableMetadata,
): Promise<FilterTerm[]> {
  const values = terms.flatMap(({ column, operator, values: texts }) =>
    !hasTypedOperand(operator)
      ? []
      : texts.map((text) => ({ text, sqlName: facts.types.get(column)?.sqlName ?? "text" })),
  );
  if (values.length === 0) return [...terms];
  const [row = []] = await ask(room, caller, [SET_TEXT_FORMS, canonicalValues(values)]);
  let at = 0;
  return terms.map((term) => {
    if (!hasTypedOperand(term.operator)) return term;
    const written = row.slice(at, at + term.values.length).map((text) => text ?? "");
    at += term.values.length;
    return { ...term, values: written };
  });
}

/** The operand is a value of the column's type. */
function hasTypedOperand(operator: Operator): boolean {
  const { operand } = OPERATORS[operator];
  return operand === "value" || operand === "list";
}

interface TriedFilter {
  readonly facts: TableMetadata;
  readonly filter: RowFilter | null;
  readonly terms: readonly FilterTerm[];
}

/** Finds operators that the type of a column does not have, and regular expressions that are invalid. */
async function tryCondition(
  room: BindingContext,
  caller: Principal,
  { facts, filter, terms }: TriedFilter,
): Promise<void> {
  if (filter === null || filter.condition === null) return;
  const regexes = terms.flatMap(({ operator, values }) => (OPERATORS[operator].operand === "regex" ? values : []));
  await ask(room, caller, [compileRegexes(regexes), checkRows(renderCheck(facts, filter.condition), ["{}"])]);
}

/** The rows of the last statement. */
async function ask(
  room: BindingContext,
  caller: Principal,
  statements: readonly PipelinedStatement[],
): Promise<readonly (readonly (string | null)[])[]> {
  try {
    const results = await room.database.run(caller, statements);
    return results.at(-1)?.rows ?? [];
  } catch (error) {
    // Class 22 is about values; 42 about operators that the type does not have.
    if (error instanceof pg.DatabaseError && /^(22|42)/.test(error.code ?? ""))
      throw refuse(`The filter cannot be used: ${error.message}`);
    throw error;
  }
}

function refuse(message: string): AppError {
  return new AppError("VALIDATION_ERROR", message);
}
