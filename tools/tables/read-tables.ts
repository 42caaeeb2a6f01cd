import type {
  AccessLine,
  CallDescription,
  ColumnDescription,
  TableDescription,
  TableOperation,
  TablesFile,
} from "@swarmbase/reference";
import { EVENT_TYPES, isEventType } from "@swarmbase/sdk";
import type { openDatabase } from "../../server/src/db/index.ts";
import type { Catalogue, FunctionEntry, Relation } from "../../server/src/rest/index.ts";
import { EXTENSION_MATRIX } from "../../server/test/access/extension-access.ts";
import { MATRIX } from "../../server/test/access/matrix.ts";
import { readMatrix } from "../../server/test/access/read-matrix.ts";
import { type DatabaseDescription, readDatabase } from "../sdk/read-database.ts";
import { insertedColumns, isNullable, updatedColumns } from "../sdk/render-relation.ts";
import { describeAliasSchema, describeColumnSchema } from "./column-schema.ts";
import { paragraphsOf, parseTableComment, type TableText } from "./parse-comment.ts";
import { type Check, type ColumnBounds, readBounds } from "./read-checks.ts";
import { TABLE_ORDER } from "./table-order.ts";

type Pool = ReturnType<typeof openDatabase>["service"];

const SCHEMA = "public";
const OPERATIONS: readonly TableOperation[] = ["select", "insert", "update", "delete"];
/** Callers of the access matrix that are signed-in users. */
const USERS = ["owner", "admin", "member", "viewer", "invited", "stranger"];
/** The service's own work, which no request reaches. */
const NO_CALLER = "internal";

interface Facts {
  readonly database: DatabaseDescription;
  readonly checks: readonly Check[];
  readonly triggerSources: ReadonlyMap<string, string>;
  readonly published: ReadonlySet<string>;
  readonly access: ReadonlyMap<string, readonly AccessLine[]>;
}

/** Every table and view that clients can reach, and the described functions. Throws when a table or column has no comment. */
export async function readTables(pool: Pool): Promise<Omit<TablesFile, "exchanges">> {
  const facts: Facts = {
    database: await readDatabase(pool),
    checks: await readChecks(pool),
    triggerSources: await readTriggerSources(pool),
    published: await readPublished(pool),
    access: readAccess(),
  };
  const { relations, functions } = facts.database.catalogue.schemas.get(SCHEMA) ?? {};
  if (relations === undefined || functions === undefined) throw new Error("the schema does not exist");
  for (const name of relations.keys())
    if (!TABLE_ORDER.includes(name)) throw new Error(`the table ${name} has no place in the reference`);
  const tables = TABLE_ORDER.map((name) => {
    const relation = relations.get(name);
    if (relation === undefined) throw new Error(`the table ${name} has a place in the reference and does not exist`);
    return describeTable(relation, facts);
  });
  return { tables, calls: [...functions.values()].flatMap(describeCall) };
}

/** Computed columns and relationships have no comments. */
function describeCall(overloads: readonly FunctionEntry[]): CallDescription[] {
  return overloads.flatMap(({ name, comment }) => {
    const [summary, ...others] = paragraphsOf(comment);
    return summary === undefined ? [] : [{ name, summary, description: others.join(" ") }];
  });
}

function describeTable(relation: Relation, facts: Facts): TableDescription {
  const { database, triggerSources, published } = facts;
  const access = facts.access.get(relation.name);
  if (access === undefined) throw new Error(`${relation.name} has no line in the access matrix`);
  const { bounds, constraints } = splitChecks(relation, facts);
  const [, ...uniqueKeys] = relation.keys;
  const updated = updatedColumns(database, relation);
  const aliases = insertedColumns(database, relation)?.aliases ?? [];
  const text = parseTableComment(relation.name, relation.comment);
  checkText(relation.name, text, { aliases, source: triggerSources.get(relation.name) ?? "" });
  return {
    name: relation.name,
    isView: relation.isView,
    summary: text.summary,
    notes: text.notes,
    guide: text.guide,
    primaryKey: relation.primaryKey,
    uniqueKeys,
    columns: describeColumns(relation, facts, bounds),
    aliases: aliases.map((name) => ({
      name,
      description: text.aliases[name] ?? "",
      schema: describeAliasSchema(`${relation.name}.${name}`),
      onUpdate: updated?.aliases.includes(name) ?? false,
    })),
    operations: OPERATIONS.filter((operation) => mayAnyUser(access, operation)),
    constraints,
    access,
    events: text.events,
    hasRealtime: published.has(relation.name),
    embeddings: embeddingsOf(relation, database.catalogue),
  };
}

/** Throws for an other name or an event without a text, and for a text without these. */
function checkText(
  table: string,
  text: TableText,
  { aliases, source }: { aliases: readonly string[]; source: string },
) {
  const alias = aliases.find((name) => text.aliases[name] === undefined);
  if (alias !== undefined) throw new Error(`the comment on ${table} has no line "Alias ${alias}"`);
  const extra = Object.keys(text.aliases).find((name) => !aliases.includes(name));
  if (extra !== undefined) throw new Error(`the comment on ${table} describes ${extra}, which does not exist`);
  const silent = EVENT_TYPES.find((type) => source.includes(`'${type}'`) && text.events[type] === undefined);
  if (silent !== undefined)
    throw new Error(`the comment on ${table} has no line "Event ${silent}", which a trigger raises`);
  const unknown = Object.keys(text.events).find((type) => !isEventType(type));
  if (unknown !== undefined)
    throw new Error(`the comment on ${table} describes the event ${unknown}, which does not exist`);
}

function describeColumns(
  relation: Relation,
  { database }: Facts,
  bounds: ReadonlyMap<string, ColumnBounds>,
): ColumnDescription[] {
  const inserted = insertedColumns(database, relation);
  const updated = updatedColumns(database, relation);
  return [...relation.columns.values()].map((column) => {
    const { name } = column;
    const key = `${relation.name}.${name}`;
    const isInserted = inserted?.columns.includes(column) ?? false;
    if (column.comment === null) throw new Error(`${key} has no comment`);
    return {
      name,
      description: column.comment,
      type: column.declaredType,
      default: column.default,
      ...describeColumnSchema({
        key,
        column,
        isNullable: isNullable(relation, column),
        closedList: database.closedLists.get(key),
        bounds: bounds.get(name) ?? {},
      }),
      references: referenceOf(relation, name),
      onInsert: isInserted ? (inserted?.required.includes(name) ? "required" : "optional") : null,
      onUpdate: updated?.columns.includes(column) ?? false,
    };
  });
}

/** Foreign keys of several columns belong to the column that is not part of another key: `agent_id` of `(agent_id, user_id)`. */
function referenceOf(relation: Relation, column: string): string | null {
  for (const { target, columns } of relation.foreignKeys) {
    const pair = columns.find(([own]) => own === column);
    if (pair !== undefined && target.schema === SCHEMA && pair[1] === "id") return `${target.name}.${pair[1]}`;
  }
  return null;
}

function embeddingsOf(relation: Relation, { relationships }: Catalogue): string[] {
  const related = relationships.flatMap(({ from, target }) => {
    if (from.name === relation.name) return [target.name];
    return target.name === relation.name ? [from.name] : [];
  });
  return [...new Set([...related, ...relation.computedRelationships.keys()])].toSorted();
}

function mayAnyUser(access: readonly AccessLine[], operation: TableOperation): boolean {
  const line = access.find((one) => one.operation === operation);
  return USERS.some((caller) => line?.cells[caller] === "yes");
}

/** Checks of one column become its bounds; closed lists are known already, and functions have their rules in the sdk. */
function splitChecks(
  { name: table }: Relation,
  { checks, database }: Facts,
): { bounds: ReadonlyMap<string, ColumnBounds>; constraints: { name: string; definition: string }[] } {
  const bounds = new Map<string, ColumnBounds>();
  const constraints: { name: string; definition: string }[] = [];
  for (const check of checks.filter((one) => one.table === table)) {
    const found = readBounds(check);
    const isList = [...database.closedLists.keys()].some(
      (key) => key.startsWith(`${table}.`) && check.name === `${key.replace(".", "_")}_known`,
    );
    if (found !== null) bounds.set(found.column, { ...bounds.get(found.column), ...found.bounds });
    else if (!isList && !check.definition.includes("private.")) {
      constraints.push({ name: check.name, definition: check.definition.replace(/^CHECK \((.*)\)$/s, "$1") });
    }
  }
  return { bounds, constraints };
}

async function readChecks(pool: Pool): Promise<readonly Check[]> {
  const { rows } = await pool.query<Check>(
    `select c.relname as table, con.conname as name, pg_get_constraintdef(con.oid, true) as definition
     from pg_constraint con join pg_class c on c.oid = con.conrelid
     where con.contype = 'c' and c.relnamespace = to_regnamespace($1) order by 1, 2`,
    [SCHEMA],
  );
  return rows;
}

/** The bodies of the functions that triggers of a table call, joined. */
async function readTriggerSources(pool: Pool): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ table: string; source: string }>(
    `select c.relname as table, string_agg(p.prosrc, E'\\n' order by p.proname) as source
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and c.relnamespace = to_regnamespace($1) group by 1`,
    [SCHEMA],
  );
  return new Map(rows.map(({ table, source }) => [table, source]));
}

async function readPublished(pool: Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ table: string }>(
    "select tablename as table from pg_publication_tables where pubname = 'swarmbase' and schemaname = $1",
    [SCHEMA],
  );
  return new Set(rows.map(({ table }) => table));
}

function readAccess(): ReadonlyMap<string, readonly AccessLine[]> {
  const lines = [...readMatrix(MATRIX + EXTENSION_MATRIX)].flatMap(([name, written]) => {
    const [schema, table = ""] = name.split(".");
    if (schema !== SCHEMA) return [];
    const access = written.map(({ operation, cells }) => {
      const { [NO_CALLER]: _, ...callers } = cells;
      return { operation, cells: callers };
    });
    return [[table, access] as const];
  });
  return new Map(lines);
}
