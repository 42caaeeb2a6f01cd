import { after, before } from "node:test";
import type { FairPool, StatementResult } from "@swarmbase/postgres";
import { createPool } from "../../src/db/create-pool.ts";
import { runPipelined, type TransactionScope } from "../../src/db/index.ts";
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
import { renderPlan } from "../../src/rest/sql/render-plan.ts";
import { SELECT_ANSWER_SETTINGS } from "../../src/rest/sql/transaction-settings.ts";
import { buildBody } from "../../src/rest/respond/build-body.ts";
import { type MainResult, readMainResult } from "../../src/rest/respond/main-result.ts";
import type { StatementLimits } from "../../src/rest/sql/draft.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** The result of a main statement, as texts. */
export type MainRow = Readonly<
  Record<Exclude<keyof MainResult, "parts" | "csvHeader" | "isCut"> | "body", string | null>
> & { readonly isCut: boolean };

export const LIMITS: StatementLimits = { maxRows: 1000, countCap: 10_000, maxBytes: 32 * 1024 * 1024 };

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

  async main(
    asked: Asked,
    scope: Partial<TransactionScope> = {},
    limits: Partial<StatementLimits> = {},
  ): Promise<MainRow> {
    const { plan } = asked;
    const isCsv = plan.answer.body.kind === "csv";
    const names = isCsv ? (["main", "csvHeader"] as const) : (["main"] as const);
    const results = await this.#run(asked, names, scope, limits);
    const rowCap = plan.answer.isCapped ? (limits.maxRows ?? LIMITS.maxRows) : null;
    const main = found(results[0], "a main result");
    const csvHeader = isCsv ? (results[1] ?? null) : null;
    const { parts, ...result } = readMainResult({ main, settings: results.at(-1) ?? null, csvHeader }, rowCap);
    const isList = plan.kind !== "call" || plan.call.function.returns.isSet;
    const hasBody = plan.answer.body.kind !== "none" && (plan.answer.body.kind !== "object" || parts.length > 0);
    const body = hasBody ? String(buildBody(plan.answer.body, { parts, ...result }, isList)) : null;
    const { status, headers, location, isCut } = result;
    const total = plan.answer.count === null ? null : String(result.total ?? result.rows);
    const inserted = result.inserted === null ? null : String(result.inserted);
    return { body, rows: String(result.rows), total, isCut, status, headers, location, inserted };
  }

  /** The body as JSON. */
  async body(asked: Asked, scope: Partial<TransactionScope> = {}): Promise<unknown> {
    const { body } = await this.main(asked, scope);
    return body === null ? null : JSON.parse(body);
  }

  async fly(
    asked: Asked,
    which: "main" | "estimate",
    scope: Partial<TransactionScope>,
  ): Promise<readonly StatementResult[]> {
    return (await this.#run(asked, [which], scope, {})).slice(0, 1);
  }

  /** The last result is that of the response settings. */
  #run(
    { plan, values }: Asked,
    names: readonly ("main" | "estimate" | "csvHeader")[],
    scope: Partial<TransactionScope>,
    limits: Partial<StatementLimits>,
  ): Promise<readonly StatementResult[]> {
    const planned = renderPlan(plan, { ...LIMITS, ...limits });
    const statements = names.map((name) => {
      const { text, parameters } = found(planned[name], "such statement");
      return { text, values: parameters.map((placeholder) => values[placeholder] ?? null) };
    });
    const settings = { text: SELECT_ANSWER_SETTINGS, values: [] };
    return runPipelined(this.#pool, { scope: { ...SCOPE, ...scope }, statements: [...statements, settings] });
  }
}

const SCOPE: TransactionScope = {
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
    const pool = createPool({ connectionString: database.url("sb_service"), max: 2 });
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
  isCapped: false,
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
