import assert from "node:assert/strict";
import { before } from "node:test";
import pg from "pg";
import { translateScopeError } from "../../src/auth/index.ts";
import { openRest } from "../../src/rest/index.ts";
import { createTableRules, isOwnName, isPortalName } from "../../src/tables/index.ts";
import { bind, principalOf, type Listener, openFeedStage } from "../realtime/feed-stage.ts";
import { RestStage } from "../rest/features/rest-stage.ts";
import { silentObserver } from "../support/silent-observer.ts";

/** A term of a filter, independent of the syntax of either interface. */
export interface Term {
  readonly column: string;
  readonly operator: string;
  readonly operands: readonly string[];
  readonly isNegated?: boolean;
}

export type Row = Readonly<Record<string, string | null>>;

/** One table, read with filters through REST and subscribed to with the same filters. */
export class BothFilters {
  readonly #rest: RestStage;
  readonly #feed: ReturnType<typeof openFeedStage>;

  constructor(rest: RestStage, feed: ReturnType<typeof openFeedStage>) {
    this.#rest = rest;
    this.#feed = feed;
  }

  run(statements: string): Promise<unknown> {
    return this.#rest.run(statements);
  }

  /** The ids of the rows that a read returns; the error body when it is rejected. */
  async read(table: string, terms: readonly Term[]): Promise<unknown> {
    const search = terms.map((term) => `${term.column}=${encodeURIComponent(toRest(term))}`).join("&");
    const { json } = await this.#rest.ask(`GET /${table}?select=id&order=id&${search}`);
    return Array.isArray(json) ? (json as { id: number }[]).map(({ id }) => id) : json;
  }

  subscribe(table: string, terms: readonly Term[]): Promise<Listener> {
    const filter = terms.map((term) => `${term.column}=${toRealtime(term)}`).join(",");
    return this.#feed.stage.subscribe(this.#feed.node, principalOf("service_role"), [bind(table, { filter })]);
  }

  /** Replaces the rows of the table and waits until realtime has processed the transaction. */
  async replaceRows(table: string, rows: readonly Row[]): Promise<void> {
    const { stage, node } = this.#feed;
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const literals = rows.map((row, index) => [index + 1, ...columns.map((column) => toLiteral(row[column] ?? null))]);
    const values = literals.map((literal) => `(${literal.join(",")})`).join(",");
    await this.run(
      `delete from public.${table}; insert into public.${table} (id,${columns.join(",")}) values ${values}`,
    );
    await stage.settle(node);
  }

  /** Waits for as many inserts as expected; terms that the database evaluates are delivered later. */
  async expectInserts(listener: Listener, ids: readonly number[], message: string): Promise<void> {
    const inserted = () =>
      listener.received.filter(({ type }) => type === "INSERT").map(({ record }) => record?.["id"]);
    await listener.until(() => inserted().length >= ids.length || listener.losses.length > 0);
    assert.deepEqual([inserted(), listener.losses], [ids, []], message);
  }
}

export function openBothFilters(statements: string): { readonly both: BothFilters } {
  const feed = openFeedStage();
  const opened = {} as { both: BothFilters };
  before(async () => {
    const { stage, node } = feed;
    await stage.database.owner.query(statements);
    const room = await openRest({
      database: node.database,
      listenUrl: null,
      rules: createTableRules({ pool: node.database.service }),
      isOwn: isOwnName,
      isOfPortal: isPortalName,
      settings: {
        dbSchemas: ["public"],
        dbExtraSearchPath: [],
        dbPreRequest: null,
        dbMaxRows: 1000,
        dbMaxEmbedDepth: 8,
        dbMaxEmbeds: 20,
        dbResponseLimitBytes: 33_554_432,
        dbBufferLimitBytes: 268_435_456,
        dbMaxCountedRows: 10_000,
        dbStatementTimeoutMs: 8_000,
        dbPlanEnabled: false,
        dbTxOverride: false,
      },
      translateEnter: translateScopeError,
      baseUrl: () => "https://localhost:8443",
      version: "test",
      observer: silentObserver,
    });
    opened.both = new BothFilters(new RestStage(stage.database, node.database, room), feed);
  });
  return opened;
}

function toRest({ operator, operands, isNegated }: Term): string {
  const operand = operator === "in" ? quoteList(operands) : (operands[0] ?? "");
  return `${isNegated === true ? "not." : ""}${operator}.${operand}`;
}

function toRealtime({ operator, operands, isNegated }: Term): string {
  const [operand = ""] = operands;
  const text = operator === "in" ? quoteList(operands) : operator === "is" ? operand : quote(operand);
  return `${isNegated === true ? "not." : ""}${operator}.${text}`;
}

function quoteList(operands: readonly string[]): string {
  return `(${operands.map(quote).join(",")})`;
}

function quote(operand: string): string {
  return `"${operand.replace(/["\\]/g, "\\$&")}"`;
}

function toLiteral(value: string | null): string {
  return value === null ? "null" : pg.escapeLiteral(value);
}
