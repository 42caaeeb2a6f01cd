import type { Column } from "../catalogue/catalogue.ts";
import type { Write, WritePlan } from "../plan/plan.ts";
import { changedColumns } from "../plan/write-columns.ts";
import { renderBodyRows } from "./body-rows.ts";
import { type Draft, type NodeFrame, rowScopeOf } from "./draft.ts";
import { findNeededColumns, renderNeeded } from "./needed-columns.ts";
import { quoteIdentifier, quoteLiteral, quoteName } from "./quote.ts";
import { renderRead, renderWhere } from "./render-predicate.ts";
import { buildSentFlags, renderIsLacking, renderLackingKeys, type SentFlag } from "./sent-flags.ts";

/** A write as the first part of a statement, and the expressions that refer to its result. */
interface RenderedWrite {
  /** Everything after `with`. */
  readonly before: string;
  readonly frame: NodeFrame;
  /** Further conditions that raise an error when they do not hold. */
  readonly checks: readonly string[];
  /** As text; null means that the answer has none. */
  readonly location: string | null;
  readonly inserted: string | null;
}

type Insert = Write & { kind: "insert" };
type Update = Write & { kind: "update" };

interface Change {
  readonly statement: string;
  /** Named queries before it. */
  readonly before?: string;
  readonly checks?: readonly string[];
  /** The number of rows of the body that existed before. */
  readonly known?: string;
}

export function renderWrite(draft: Draft, { write, shown }: Pick<WritePlan, "write" | "shown">): RenderedWrite {
  const { relation } = write;
  const name = draft.alias(relation.name);
  const returning = renderReturning({ write, shown }, name);
  const { statement, before = "", checks = [], known } = renderChange(draft, write, { name, returning });
  const count = `(select count(*) from ${name})`;
  return {
    before: `${before}${name} as (${statement})`,
    frame: { from: name, scope: rowScopeOf(name, relation), joins: [], type: relation, isSingle: false },
    checks,
    location: write.kind === "insert" ? renderLocation(write, name, count) : null,
    inserted: renderInserted(write, count, known),
  };
}

/** Only returned columns, so that no SELECT privilege on others is needed. */
function renderReturning({ write, shown }: Pick<WritePlan, "write" | "shown">, name: string): string {
  const needed = shown === null ? new Set<string>() : findNeededColumns(shown);
  const located = write.kind === "insert" ? (write.location ?? []) : [];
  const all = needed === null ? null : new Set([...needed, ...located]);
  return all?.size === 0 ? "1" : renderNeeded(all, name);
}

interface WriteTarget {
  readonly name: string;
  readonly returning: string;
}

function renderChange(draft: Draft, write: Write, target: WriteTarget): Change {
  switch (write.kind) {
    case "insert":
      return renderInsert(draft, write, target);
    case "update":
      return renderUpdate(draft, write, target);
    case "delete": {
      const where = renderWhere(draft, { joins: [], where: write.where }, rowScopeOf(target.name));
      return { statement: `delete from ${quoteName(write.relation)}${where} returning ${target.returning}` };
    }
  }
}

function renderInsert(draft: Draft, write: Insert, { name, returning }: WriteTarget): Change {
  const { relation, rows, conflict, putKey } = write;
  const table = quoteName(relation);
  if (rows.columns.length === 0) {
    // One row of defaults for each member of the list.
    const source = rows.isArray
      ? `select from pg_catalog.json_array_elements(${draft.parameter(rows.text)}::json)`
      : "default values";
    return { statement: `insert into ${table} ${source}${renderConflict(write)} returning ${returning}` };
  }
  const body = renderBodyRows(draft, rows, relation);
  const { from, values, checks } = body;
  const columns = quoteColumns(rows.columns);
  const key = putKey?.map(({ column, value }) => {
    const place = rows.columns.findIndex((candidate) => candidate.name === column.name);
    const reader = column.type.representation?.fromText ?? null;
    const sent = draft.parameter(value);
    return `${values[place] ?? "null"} = ${reader === null ? sent : renderRead(reader, sent)}`;
  });
  const where = key === undefined || key.length === 0 ? "" : ` where ${key.join(" and ")}`;
  if (conflict?.resolution !== "merge") {
    const source = `select ${values.join(",")} from ${from}${where}`;
    const statement = `insert into ${table}(${columns}) ${source}${renderConflict(write)} returning ${returning}`;
    return { statement, checks };
  }
  const sent = draft.alias("_sent");
  const flags = buildSentFlags(body.sent, rows.columns);
  const lacking = flags.length === 0 ? null : draft.alias("_lacking");
  const there = conflict.columns.map(
    (column) => `${name}.${quoteIdentifier(column)} = ${sent}.${quoteIdentifier(column)}`,
  );
  const isKeySent = conflict.columns.every((column) => rows.columns.some((candidate) => candidate.name === column));
  const isKept = isKeySent && lacking !== null;
  const gathered = isKept ? `${lacking} as (${renderLackingKeys(flags, sent, conflict.columns)}),` : "";
  const onConflict = renderConflict(write, isKept ? { name, flags, lacking } : null);
  return {
    before: `${renderSentRows(sent, rows.columns, { values, flags })} from ${from}${where}),${gathered}`,
    statement: `insert into ${table}(${columns}) select ${columns} from ${sent}${onConflict} returning ${returning}`,
    checks,
    known: isKeySent ? `(select count(*) from ${sent} join ${table} ${name} on ${there.join(" and ")})` : "0",
  };
}

/** The rows of the body as a named query, without its `from`. */
function renderSentRows(
  sent: string,
  columns: readonly Column[],
  { values, flags }: { readonly values: readonly string[]; readonly flags: readonly SentFlag[] },
): string {
  const names = [...columns.map(({ name }) => quoteIdentifier(name)), ...flags.map(({ name }) => name)];
  const all = [...values, ...flags.map(({ value }) => value)];
  return `${sent}(${names.join(",")}) as (select ${all.join(",")}`;
}

interface KeptValues {
  /** The table. */
  readonly name: string;
  readonly flags: readonly SentFlag[];
  /** The query that has the keys of the rows that lack a column. */
  readonly lacking: string;
}

function renderConflict({ conflict, rows }: Insert, kept: KeptValues | null = null): string {
  if (conflict === null) return "";
  const target = ` on conflict (${conflict.columns.map(quoteIdentifier).join(",")}) do `;
  if (conflict.resolution === "ignore" || rows.columns.length === 0) return `${target}nothing`;
  const others = rows.columns.filter(({ name }) => !conflict.columns.includes(name));
  // A row that consists of the key is unchanged, but returned.
  const changed = others.length === 0 ? rows.columns : others;
  const set = changed.map(({ name }) => {
    const column = quoteIdentifier(name);
    const flag = kept?.flags.find((candidate) => candidate.column === name);
    if (kept === null || flag === undefined) return `${column}=excluded.${column}`;
    const isLacking = renderIsLacking(flag, kept.lacking, conflict.columns);
    return `${column}=case when ${isLacking} then ${kept.name}.${column} else excluded.${column} end`;
  });
  return `${target}update set ${set.join(",")}`;
}

function renderUpdate(draft: Draft, write: Update, { name, returning }: WriteTarget): Change {
  const { relation, rows, matchOn } = write;
  const table = quoteName(relation);
  const scope = rowScopeOf(name);
  const changed = changedColumns(write);
  if (changed.length === 0) {
    const isShown = write.isUnchangedReturned === true;
    const found = isShown ? renderWhere(draft, { joins: [], where: write.where }, scope) : " where false";
    return { statement: `select ${returning} from ${table}${found}` };
  }

  const body = renderBodyRows(draft, rows, relation);
  const { from, values, checks } = body;
  if (matchOn === null) {
    const set = rows.columns.map((column, index) => `${quoteIdentifier(column.name)}=${values[index]}`).join(",");
    const where = renderWhere(draft, { joins: [], where: write.where }, scope);
    return { statement: `update ${table} set ${set} from ${from}${where} returning ${returning}`, checks };
  }
  const sent = draft.alias("_sent");
  const flags = buildSentFlags(body.sent, rows.columns);
  const key = matchOn.map(quoteIdentifier);
  const set = changed.map(({ name: changedName }) => {
    const column = quoteIdentifier(changedName);
    const flag = flags.find((candidate) => candidate.column === changedName);
    if (flag === undefined) return `${column}=${sent}.${column}`;
    return `${column}=case when ${sent}.${flag.name} then ${sent}.${column} else ${name}.${column} end`;
  });
  const joins = key.map((column) => `${name}.${column} = ${sent}.${column}`);
  const where = renderWhere(draft, { joins, where: write.where }, scope);
  const maxTimes = `select coalesce(pg_catalog.max(times),1) from (select count(*) as times from ${sent} group by ${key.join(",")}) _`;
  return {
    before: `${renderSentRows(sent, rows.columns, { values, flags })} from ${from}),`,
    statement: `update ${table} set ${set.join(",")} from ${sent}${where} returning ${returning}`,
    // One of two updates of the same row would be lost silently.
    checks: [...checks, `private.require_single((${maxTimes}))`],
  };
}

function renderInserted({ kind, ...write }: Write, count: string, known: string | undefined): string | null {
  if (kind !== "insert" || !("conflict" in write) || write.conflict === null) return null;
  return known === undefined ? `${count}::text` : `(${count}-${known})::text`;
}

function renderLocation({ location }: Insert, name: string, count: string): string | null {
  if (location === null) return null;
  const members = location.map((column) => `${quoteLiteral(column)},${name}.${quoteIdentifier(column)}::text`);
  return `case when ${count}=1 then (select pg_catalog.json_build_object(${members.join(",")})::text from ${name}) end`;
}

function quoteColumns(columns: readonly Column[]): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(",");
}
