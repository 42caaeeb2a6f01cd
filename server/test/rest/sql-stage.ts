import { after, before } from "node:test";
import { FairPool, type StatementResult, runPipelined, type Scope } from "../../src/db/index.ts";
import type { Catalogue, Column, FunctionEntry, QualifiedName, Relation } from "../../src/rest/catalogue/catalogue.ts";
import { loadCatalogue } from "../../src/rest/catalogue/load-catalogue.ts";
import { type Relationship, relationshipsOf } from "../../src/rest/catalogue/relationships.ts";
import type { JsonStep } from "../../src/rest/parse/parsed-request.ts";
import type {
  AnswerPlan,
  ColumnOf,
  Embed,
  Expression,
  OrderBy,
  Output,
  Plan,
  Predicate,
  ReadNode,
  Placeholder,
} from "../../src/rest/plan/plan.ts";
import { renderPlan } from "../../src/rest/sql/render.ts";
import { RESULT_COLUMNS, type ResultColumn } from "../../src/rest/sql/statement.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

export type MainRow = Readonly<Record<ResultColumn, string | null>>;

/** A plan with its values. */
export interface Asked<P extends Plan = Plan> {
  readonly plan: P;
  readonly values: readonly (string | null)[];
}

/** Hands out a placeholder for each value. */
export type Bind = (value: string | null) => Placeholder;

export function ask<P extends Plan>(make: (bind: Bind) => P): Asked<P> {
  const values: (string | null)[] = [];
  const plan = make((value) => values.push(value) - 1);
  return { plan, values };
}

/** Renders plans and runs them on a database with objects in schema `shop`. */
export class SqlStage {
  readonly database: TestDatabase;
  readonly catalogue: Catalogue;
  readonly #pool: FairPool;

  constructor(database: TestDatabase, pool: FairPool, catalogue: Catalogue) {
    this.database = database;
    this.catalogue = catalogue;
    this.#pool = pool;
  }

  relation(name: string): Relation {
    return found(this.catalogue.schemas.get("shop")?.relations.get(name), name);
  }

  columns(relation: string, ...names: string[]): Column[] {
    return names.map((name) => found(this.relation(relation).columns.get(name), name));
  }

  function(name: string): FunctionEntry {
    return found(this.catalogue.schemas.get("shop")?.functions.get(name)?.[0], name);
  }

  /** The one that leads to the target and, when a word is given, has it somewhere in it. */
  relationship(from: string, target: string, word = ""): Relationship {
    const all = relationshipsOf(this.catalogue, shop(from));
    const fitting = all.filter((one) => one.target.name === target && JSON.stringify(one).includes(word));
    return found(fitting[0], `${from} to ${target} ${word}`);
  }

  embed(from: string, target: string, node: Partial<ReadNode> = {}, word = ""): Embed {
    const relationship = this.relationship(from, target, word);
    const source =
      relationship.kind === "computed"
        ? ({ kind: "computed", function: relationship.function } as const)
        : ({ kind: "relation", relation: relationship.target } as const);
    return { relationship, isToOne: relationship.isToOne, node: nodeOf(source, node) };
  }

  async main(asked: Asked, scope: Partial<Scope> = {}): Promise<MainRow> {
    const [result] = await this.fly(asked, "main", scope);
    const [row, ...others] = result?.rows ?? [];
    if (row === undefined || others.length > 0 || row.length !== RESULT_COLUMNS.length) {
      throw new Error(`not one row of ${RESULT_COLUMNS.length} columns: ${JSON.stringify(result?.rows)}`);
    }
    return Object.fromEntries(RESULT_COLUMNS.map((name, at) => [name, row[at] ?? null])) as MainRow;
  }

  /** The body as JSON. */
  async body(asked: Asked, scope: Partial<Scope> = {}): Promise<unknown> {
    const { body } = await this.main(asked, scope);
    return body === null ? null : JSON.parse(body);
  }

  async fly(asked: Asked, which: "main" | "estimate", scope: Partial<Scope>): Promise<readonly StatementResult[]> {
    const statement = renderPlan(asked.plan)[which];
    if (statement === null) throw new Error("there is no such statement");
    const values = statement.parameters.map((placeholder) => asked.values[placeholder] ?? null);
    return runPipelined(this.#pool, { scope: { ...SCOPE, ...scope }, statements: [{ text: statement.text, values }] });
  }
}

const SCOPE: Scope = {
  role: "service_role",
  claims: {},
  schemas: ["shop"],
  statementTimeoutMs: 8000,
  isReadOnly: false,
  request: { method: "GET", path: "/", headers: {} },
};

export function openSqlStage(statements: string): { readonly stage: SqlStage } {
  const closers: (() => Promise<void>)[] = [];
  let stage: SqlStage | null = null;
  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    const pool = new FairPool({ connectionString: database.url("sb_service"), max: 2 });
    pool.on("error", () => {});
    closers.unshift(() => pool.end());
    await database.owner.query(`create schema shop;
      grant usage on schema shop to anon, authenticated, service_role, sb_service;
      set search_path = shop;
      ${statements};
      grant all on all tables in schema shop to service_role;
      grant all on all sequences in schema shop to service_role;
      grant execute on all functions in schema shop to service_role;
      analyze`);
    stage = new SqlStage(database, pool, await loadCatalogue(pool, ["shop"]));
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return {
    get stage(): SqlStage {
      return found(stage, "an open stage");
    },
  };
}

export function shop(name: string): QualifiedName {
  return { schema: "shop", name };
}

export const ARRAY: AnswerPlan = {
  body: { kind: "array", hasNulls: true },
  count: null,
  mustBeSingle: false,
  maxAffected: null,
  rowCap: null,
  countCap: null,
};

export const STAR: Output = { kind: "star" };

export function nodeOf(source: ReadNode["source"], parts: Partial<ReadNode> = {}): ReadNode {
  const nothing = { outputs: [STAR], where: [], order: [], limit: null, offset: null, isAggregated: false };
  return { source, ...nothing, ...parts };
}

export function read(name: string, parts: Partial<ReadNode> = {}, answer: Partial<AnswerPlan> = {}): Plan {
  const root = nodeOf({ kind: "relation", relation: shop(name) }, parts);
  return { kind: "read", root, answer: { ...ARRAY, ...answer } };
}

export function column(name: string, parts: Partial<Expression> = {}): Expression {
  return { of: { kind: "column", name, type: null }, path: [], isJson: false, cast: null, ...parts };
}

export function computed(of: ColumnOf, parts: Partial<Expression> = {}): Expression {
  return { of, path: [], isJson: false, cast: null, ...parts };
}

export function shown(name: string, value: Expression = column(name)): Output {
  return { kind: "value", name, value };
}

export function json(name: string, ...path: readonly (string | number)[]): Expression {
  const steps: JsonStep[] = path.map((key) =>
    typeof key === "string" && key.startsWith(">") ? { kind: "->>", key: key.slice(1) } : { kind: "->", key },
  );
  return column(name, { path: steps, isJson: true });
}

type Compare = Predicate & { kind: "compare" };

export function compare(
  left: string | Expression,
  operator: Compare["operator"],
  right: Placeholder,
  parts: Partial<Pick<Compare, "isNegated" | "quantifier">> = {},
): Predicate {
  const value = typeof left === "string" ? column(left) : left;
  return { kind: "compare", left: value, operator, right, isNegated: false, quantifier: null, ...parts };
}

export function byOwn(
  value: string | Expression,
  direction: OrderBy["direction"] = null,
  nulls: OrderBy["nulls"] = null,
): OrderBy {
  return { by: { kind: "own", value: typeof value === "string" ? column(value) : value }, direction, nulls };
}

function found<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`);
  return value;
}
