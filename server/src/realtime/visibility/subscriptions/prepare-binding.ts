import type { PipelinedStatement } from "@swarmbase/postgres";
import pg from "pg";
import { databaseRoleOf, hiddenColumnsOf, insufficientScopeError, type Principal } from "../../../db/index.ts";
import { AppError } from "../../../errors/index.ts";
import { OPERATORS, type Operator } from "../../../operators/index.ts";
import type { Binding } from "../../changes.ts";
import type { PrincipalDatabase } from "../checks/principal-database.ts";
import { canonicalValues, checkRows, compileRegexes, renderCheck } from "../checks/sql/check-statements.ts";
import { SET_TEXT_FORMS } from "../rendering/sql/select-values.ts";
import { compileFilter } from "../filters/compile-filter.ts";
import { type FilterTerm, parseChangeFilter } from "../filters/parse-change-filter.ts";
import type { TableMetadataCache } from "../tables/table-metadata-cache.ts";
import type { TableMetadata } from "../tables/table-metadata.ts";
import type { PreparedBinding } from "../subscription.ts";

export interface BindingContext {
  readonly tables: TableMetadataCache;
  readonly database: PrincipalDatabase;
  readonly principal: Principal;
  /** Resolves when the feed includes all tables that are published at the time of the call. */
  syncPublication(): Promise<void>;
}

const WILDCARD = "*";
/** As in `private.get_published_tables`. */
const QUEUE_TABLES: ReadonlySet<string> = new Set(["public.webhook_deliveries", "public.webhook_delivery_attempts"]);

/** Checks and compiles a binding of a subscriber. Throws an AppError for the reply of the join. */
export async function prepareBinding(context: BindingContext, binding: Binding): Promise<PreparedBinding> {
  const { id, event, schema, table } = binding;
  const terms = parseChangeFilter(binding.filter ?? "");
  if (schema === WILDCARD || table === WILDCARD) {
    if (terms.length > 0) throw invalid("A filter needs a schema and a table");
    if (binding.select !== null) throw invalid("A list of columns needs a schema and a table");
    await context.syncPublication();
    return { id, event, schema, table, filterText: "", filter: null, select: null };
  }
  const metadata = await findTable(context, binding, terms);
  const known = await formatValues(context, terms, metadata);
  const filter = known.length === 0 ? null : compileFilter(known, metadata.types);
  if (filter !== null && filter.condition !== null) {
    // Finds operators that the type of a column does not have, and regular expressions that are invalid.
    const regexes = terms.flatMap(({ operator, values }) => (OPERATORS[operator].operand === "regex" ? values : []));
    await query(context, [compileRegexes(regexes), checkRows(renderCheck(metadata, filter.condition), ["{}"])]);
  }
  return { id, event, schema, table, filterText: JSON.stringify(known), filter, select: binding.select };
}

async function findTable(
  { tables, principal, syncPublication }: BindingContext,
  binding: Binding,
  terms: readonly FilterTerm[],
): Promise<TableMetadata> {
  const { schema, table } = binding;
  const known = await tables.find(schema, table);
  const columns = [...terms.map((term) => term.column), ...(binding.select ?? [])];
  if (findFault(known, principal, binding, columns) === null && known !== null) return known;
  // The cached metadata may be older than a fix of the table, and the feed older than its publication.
  if (known?.published === null) await syncPublication();
  const metadata = await tables.reload(schema, table);
  const fault = findFault(metadata, principal, binding, columns);
  if (fault !== null || metadata === null) throw invalid(fault ?? "");
  return metadata;
}

function findFault(
  metadata: TableMetadata | null,
  principal: Principal,
  { schema, table }: Binding,
  used: readonly string[],
): string | null {
  const columns = metadata?.roles.get(databaseRoleOf(principal))?.columns;
  // The same message as for a missing table, so that it reveals nothing to a role without access.
  if (metadata === null || columns === undefined || columns.size === 0)
    return `There is no table ${schema}.${table} that can be subscribed to`;
  if (metadata.published === null)
    return QUEUE_TABLES.has(`${schema}.${table}`)
      ? `${schema}.${table} is not in the publication and cannot be added to it; join the private channel webhook:<id> instead`
      : `${schema}.${table} is not in the publication; its owner can add it: alter publication swarmbase add table ${schema}.${table}`;
  const hidden = hiddenColumnsOf(principal, schema, table);
  if (used.some((column) => hidden.includes(column))) throw insufficientScopeError("secrets", principal);
  const unknown = used.find((column) => !columns.has(column));
  return unknown === undefined ? null : `${schema}.${table} has no column ${unknown} that can be used here`;
}

/** Formats the values of the filter as PostgreSQL prints them, so that they compare with the replication stream. */
async function formatValues(
  context: BindingContext,
  terms: readonly FilterTerm[],
  { types }: TableMetadata,
): Promise<FilterTerm[]> {
  const values = terms
    .filter(({ operator }) => hasTypedOperand(operator))
    .flatMap((term) => term.values.map((text) => ({ text, sqlName: types.get(term.column)?.sqlName ?? "text" })));
  if (values.length === 0) return [...terms];
  const [row = []] = await query(context, [SET_TEXT_FORMS, canonicalValues(values)]);
  let start = 0;
  return terms.map((term) => {
    if (!hasTypedOperand(term.operator)) return term;
    const formatted = row.slice(start, start + term.values.length).map((text) => text ?? "");
    start += term.values.length;
    return { ...term, values: formatted };
  });
}

/** The operand is a value of the column's type. */
function hasTypedOperand(operator: Operator): boolean {
  const { operand } = OPERATORS[operator];
  return operand === "value" || operand === "list";
}

/** The rows of the last statement. */
async function query(
  { database, principal }: BindingContext,
  statements: readonly PipelinedStatement[],
): Promise<readonly (readonly (string | null)[])[]> {
  try {
    const results = await database.run(principal, statements);
    return results.at(-1)?.rows ?? [];
  } catch (error) {
    // Class 22 is about values; 42 about operators that the type does not have.
    if (error instanceof pg.DatabaseError && /^(22|42)/.test(error.code ?? ""))
      throw invalid(`The filter cannot be used: ${error.message}`);
    throw error;
  }
}

function invalid(message: string): AppError {
  return new AppError("VALIDATION_ERROR", message);
}
