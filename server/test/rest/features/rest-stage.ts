import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import pg from "pg";
import { translateScopeError } from "../../../src/auth/index.ts";
import { type Database, openDatabase, type Principal, type UserPrincipal } from "../../../src/db/index.ts";
import { AppError, renderError } from "../../../src/errors/index.ts";
import { type DescribeSchema, openRest, type RestModule } from "../../../src/rest/index.ts";
import { createTableRules, isOwnName, isPortalName, type TableRulesOptions } from "../../../src/tables/index.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { silentObserver } from "../../support/silent-observer.ts";

export interface AskOptions {
  readonly as?: Principal;
  readonly headers?: Record<string, string>;
  /** Texts and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

export interface Asked {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly text: string;
  /** Parsed when the media type is JSON, otherwise undefined. */
  readonly json: unknown;
}

export const SERVICE: Principal = {
  role: "service_role",
  userId: null,
  claims: { role: "service_role" },
  session: null,
};
export const ANON: Principal = { role: "anon", userId: null, claims: { role: "anon" }, session: null };

export interface StageOptions {
  readonly schemas?: readonly string[];
  readonly maxRows?: number;
  readonly maxResponseBytes?: number;
  readonly countCap?: number;
  readonly statementTimeoutMs?: number;
  readonly isPlanEnabled?: boolean;
  readonly isTxOverride?: boolean;
  /** Keeps up with changes of the schema as a running server does. */
  readonly isWatching?: boolean;
  readonly tools?: NonNullable<TableRulesOptions["tools"]>;
  readonly onWebhookWork?: () => void;
}

/** Loads the extension when a test asks for the description. */
const describeSchema: DescribeSchema = async (...given) => {
  const { loadExtensions } = await import("../../../src/extensions/index.ts");
  const [loaded] = await loadExtensions({ names: ["reference"], environment: {} });
  return loaded?.extension.describeSchema?.(...given);
};

/** The REST module on its own migrated database, called without HTTP. Errors are rendered as by the server. */
export class RestStage {
  readonly database: TestDatabase;
  readonly pools: Database;
  readonly rest: RestModule;

  constructor(database: TestDatabase, pools: Database, rest: RestModule) {
    this.database = database;
    this.pools = pools;
    this.rest = rest;
  }

  /** SQL as the owner of the schema, the way a developer adds tables. */
  run(statements: string, values?: unknown[]): Promise<pg.QueryResult> {
    return this.database.owner.query(statements, values);
  }

  /** A user with a live session. */
  async addUser(email = `${randomUUID()}@example.test`): Promise<UserPrincipal> {
    const admin = new pg.Client({ connectionString: this.database.adminUrl });
    await admin.connect();
    try {
      const { rows } = await admin.query<{ user_id: string; session_id: string }>(
        `with u as (insert into auth.users (email) values ($1) returning id)
         insert into auth.sessions (user_id, refresh_key_wrapped) select id, '' from u returning user_id, id as session_id`,
        [email],
      );
      const { user_id: userId = "", session_id: sessionId = "" } = rows[0] ?? {};
      return {
        role: "authenticated",
        userId,
        claims: { sub: userId, role: "authenticated", email, session_id: sessionId },
        session: { userId, sessionId, inactivitySeconds: 0 },
      };
    } finally {
      await admin.end();
    }
  }

  /** `ask("GET /agents?select=id", …)`, the path without its prefix. */
  async ask(line: string, { as = SERVICE, headers = {}, body }: AskOptions = {}): Promise<Asked> {
    const [method = "GET", target = "/"] = line.split(/ (.*)/s);
    const [path = "/", search = ""] = target.split(/\?(.*)/s);
    const sent =
      body === undefined ? null : typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    try {
      const answer = await this.rest.answer({
        input: {
          method,
          path,
          search,
          headers: lowered,
          body: sent === null ? null : Buffer.from(sent),
          contentType: lowered["content-type"] ?? null,
        },
        path: `/rest/v1${path}`,
        principal: as,
      });
      return toAsked(answer.status, answer.headers, answer.body);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const rendered = renderError(error);
      return toAsked(rendered.status, rendered.headers, rendered.body);
    }
  }
}

/** Opened before the tests of the file, with the given objects, and gone after them. */
export function openRestStage(statements = "", options: StageOptions = {}): { readonly stage: RestStage } {
  const closers: (() => Promise<void>)[] = [];
  let stage: RestStage | null = null;
  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    if (statements !== "") await database.owner.query(statements);
    const observer = silentObserver;
    const statementTimeoutMs = options.statementTimeoutMs ?? 8_000;
    const pools = openDatabase({
      url: database.adminUrl,
      masterKey: database.masterKey,
      poolSize: 4,
      statementTimeoutMs,
      observer,
    });
    closers.unshift(() => pools.close());
    const rest = await openRest({
      database: pools,
      listenUrl: options.isWatching === true ? database.url("sb_service") : null,
      rules: createTableRules({
        pool: pools.service,
        ...(options.tools !== undefined && { tools: options.tools }),
      }),
      isOwn: isOwnName,
      isOfPortal: isPortalName,
      describeSchema,
      settings: {
        dbSchemas: options.schemas ?? ["public"],
        dbExtraSearchPath: [],
        dbPreRequest: null,
        dbMaxRows: options.maxRows ?? 1000,
        dbMaxEmbedDepth: 8,
        dbMaxEmbeds: 20,
        dbResponseLimitBytes: options.maxResponseBytes ?? 33_554_432,
        dbBufferLimitBytes: 268_435_456,
        dbMaxCountedRows: options.countCap ?? 10_000,
        dbStatementTimeoutMs: statementTimeoutMs,
        dbPlanEnabled: options.isPlanEnabled ?? false,
        dbTxOverride: options.isTxOverride ?? false,
      },
      translateEnter: translateScopeError,
      ...(options.onWebhookWork !== undefined && { onWebhookWork: options.onWebhookWork }),
      baseUrl: () => "https://localhost:8443",
      version: "test",
      observer,
    });
    if (options.isWatching === true) {
      const stop = new AbortController();
      const watching = rest.watch(stop.signal);
      closers.unshift(async () => {
        stop.abort();
        await watching;
      });
    }
    stage = new RestStage(database, pools, rest);
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return {
    get stage(): RestStage {
      if (stage === null) throw new Error("the stage is not open yet");
      return stage;
    },
  };
}

function toAsked(
  status: number,
  headers: Readonly<Record<string, string | string[]>>,
  body: string | Buffer | null,
): Asked {
  const text = body === null ? "" : body.toString();
  const [type = ""] = String(headers["content-type"] ?? "").split(";");
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return { status, headers: flat, text, json: /[/+]json\b/.test(type) && text !== "" ? JSON.parse(text) : undefined };
}
