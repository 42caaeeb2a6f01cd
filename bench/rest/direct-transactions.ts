import type { PipelinedStatement } from "@swarmbase/postgres";
import type { Database, TransactionScope } from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { attemptOf, isWriteAttempt } from "../../server/src/rest/attempt.ts";
import { openCatalogue } from "../../server/src/rest/catalogue/watch-catalogue.ts";
import type { Catalogue } from "../../server/src/rest/catalogue/catalogue.ts";
import { parseRequest } from "../../server/src/rest/parse/parse-request.ts";
import type { ParsedRequest } from "../../server/src/rest/parse/parsed-request.ts";
import { prepareRequest, type RequestShape } from "../../server/src/rest/prepare-request.ts";
import { RequestShapeCache } from "../../server/src/rest/request-shape-cache.ts";
import type { TableRules } from "../../server/src/rest/table-rules.ts";
import { createTableRules, isOwnName, isPortalName } from "../../server/src/tables/index.ts";
import type { HttpRequest } from "../load/http-connection.ts";
import { buildClaims } from "./contenders/swarmbase.ts";
import type { Operation } from "./operations.ts";
import { idOf, type Target } from "./population.ts";
import { buildTableRequest } from "./table-requests.ts";

const SCHEMAS = ["public"];
const STATEMENT_TIMEOUT_MS = 8_000;
const MAX_ROWS = 1_000;

export interface PlannedRequest {
  readonly scope: TransactionScope;
  readonly statement: PipelinedStatement;
}

export interface PlannedTransaction extends PlannedRequest {
  /** A text that the response must contain. */
  readonly expected: string;
}

export type PlanRequest = (request: HttpRequest, user: number) => PlannedRequest;
export type PlanTransaction = (operation: Operation, target: Target) => PlannedTransaction;

export async function openPlanner(database: Database): Promise<PlanTransaction> {
  const plan = await openRequestPlanner(database);
  return (operation, target) => {
    const { user, agent } = target;
    const expected =
      operation === "insert" ? idOf("user", user) : operation.startsWith("list") ? '"id":' : idOf("agent", agent);
    return { ...plan(buildTableRequest(operation, target, {}), user), expected };
  };
}

/** The statements and scopes that the service would send for the same requests. */
export async function openRequestPlanner(database: Database): Promise<PlanRequest> {
  const observer = createObserver({ level: "fatal", format: "json" });
  const holder = await openCatalogue({ pool: database.service, listenUrl: null, schemas: SCHEMAS, observer });
  const planning: Planning = {
    catalogue: holder.current(),
    rules: createTableRules({ pool: database.service }),
    shapes: new RequestShapeCache<RequestShape>(),
    scopes: new Map(),
  };
  return (request, user) => planRequest(request, user, planning);
}

interface Planning {
  readonly catalogue: Catalogue;
  readonly rules: TableRules;
  readonly shapes: RequestShapeCache<RequestShape>;
  readonly scopes: Map<string, TransactionScope>;
}

function planRequest({ method, path, headers, body }: HttpRequest, user: number, planning: Planning): PlannedRequest {
  const url = new URL(path, "https://localhost");
  const userId = idOf("user", user);
  const parsed = parseRequest(
    {
      method,
      path: url.pathname.slice("/rest/v1".length),
      search: url.search,
      headers,
      body: body === undefined ? null : Buffer.from(body),
      contentType: headers["content-type"] ?? null,
    },
    { schemas: SCHEMAS },
  );
  const request = applyRules(parsed, userId, planning.rules);
  const { shape, values } = prepareRequest(request, planning, {
    limits: { maxRows: MAX_ROWS, countCap: 10_000, maxBytes: 32 * 1024 * 1024 },
    isCountCapped: true,
    isPlanEnabled: false,
    isOwn: isOwnName,
    isOfPortal: isPortalName,
  });
  if (shape.isForeign) throw new Error("a table of the service is treated as foreign");
  const { text, parameters } = shape.statements.main;
  return {
    scope: scopeOf(user, method, planning.scopes),
    statement: { text, values: parameters.map((placeholder) => values[placeholder] ?? null) },
  };
}

function applyRules(request: ParsedRequest, userId: string, rules: TableRules): ParsedRequest {
  const attempt = attemptOf(request, { role: "authenticated", userId });
  const { body, query } = request;
  if (attempt === null || !isWriteAttempt(attempt) || body.kind !== "rows") return request;
  const rewritten = rules.beforeWrite(attempt);
  if (rewritten === null) return request;
  const { rows, columns } = rewritten;
  return {
    ...request,
    query: { ...query, columns },
    body: { ...body, rows, keys: columns, text: JSON.stringify(rows[0] ?? {}) },
  };
}

/** One claims object per user, as the service has one per token. */
function scopeOf(user: number, method: string, scopes: Map<string, TransactionScope>): TransactionScope {
  const key = `${method} ${user}`;
  let scope = scopes.get(key);
  if (scope === undefined) {
    scope = {
      role: "authenticated",
      claims: { ...buildClaims(user) },
      schemas: SCHEMAS,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      isReadOnly: method === "GET",
      session: { userId: idOf("user", user), sessionId: idOf("session", user), inactivitySeconds: 0 },
      request: { method, path: "/rest/v1/agents", headers: {} },
    };
    scopes.set(key, scope);
  }
  return scope;
}
