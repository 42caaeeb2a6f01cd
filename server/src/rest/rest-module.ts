import { AppError } from "../errors/index.ts";
import { isWriteAttempt } from "./attempt.ts";
import { BufferedBytes } from "./buffered-bytes.ts";
import { NO_SETTINGS } from "./catalogue/build-settings.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { type CatalogueHolder, openCatalogue } from "./catalogue/watch-catalogue.ts";
import { answerOptions, answerRoot, readVisibility } from "./describe.ts";
import { explainError, isDoubtful } from "./explain-error.ts";
import { isMissed } from "./is-missed.ts";
import { REPLAYED } from "./kept-result.ts";
import { inOperation, keepAppError } from "./operation-errors.ts";
import { isDescription, parseCalls, type ParsedCall } from "./parse-calls.ts";
import { PlanSources } from "./plan-sources.ts";
import { prepareRequest } from "./prepare-request.ts";
import { type PlannedCall, queryPlanned, type RestTransaction } from "./query-planned.ts";
import { requireForeignScopes } from "./require-foreign-scopes.ts";
import { buildAnswer, buildExplainAnswer } from "./respond/build-answer.ts";
import { readEstimate, readMainResult } from "./respond/main-result.ts";
import type { BatchAnswer, RestAnswer, RestCall } from "./rest-call.ts";
import type { RestOptions } from "./rest-options.ts";
import { runDescription, type RunOptions } from "./run-prepared.ts";
import type { StatementLimits } from "./sql/draft.ts";
import { SELECT_VISIBLE } from "./sql/select-visible.ts";
import type { RunResult } from "./statement-group.ts";
import { readWriteKey } from "./write-key.ts";

export async function openRest(options: RestOptions): Promise<RestModule> {
  const { database, listenUrl, settings, observer } = options;
  const read = { pool: database.service, commits: database.commits, schemas: settings.dbSchemas };
  return new RestModule(options, await openCatalogue({ ...read, listenUrl, observer }));
}

/**
 * Answers REST requests. Throws errors for callers as `AppError`.
 *
 * parse: text → what the caller asks for, after the rules of the table (`ParsedCall`).
 * plan: that and the catalogue → statements and values, from a cache when the shape of the request is known (`PlannedCall`).
 * query: all statements → their rows, in one transaction and one round trip (`RunResult`).
 * respond: rows → status, headers and body (`RestAnswer`).
 */
export class RestModule {
  readonly #options: RestOptions;
  readonly #catalogue: CatalogueHolder;
  readonly #plans: PlanSources;
  readonly #limits: StatementLimits;
  readonly #searchPaths: RunOptions["searchPaths"];
  readonly #buffered: BufferedBytes;

  constructor(options: RestOptions, catalogue: CatalogueHolder) {
    const { dbSchemas, dbExtraSearchPath, ...limits } = options.settings;
    const { dbMaxRows, dbMaxCountedRows, dbResponseLimitBytes, dbBufferLimitBytes } = limits;
    this.#options = options;
    this.#catalogue = catalogue;
    this.#plans = new PlanSources(options.isOwn);
    this.#searchPaths = new Map(dbSchemas.map((schema) => [schema, [...new Set([schema, ...dbExtraSearchPath])]]));
    this.#limits = {
      maxRows: dbMaxRows === 0 ? null : dbMaxRows,
      countCap: dbMaxCountedRows,
      maxBytes: dbResponseLimitBytes,
    };
    this.#buffered = new BufferedBytes(dbBufferLimitBytes);
  }

  /** The exposed schemas as they are now. */
  get catalogue(): Catalogue {
    return this.#catalogue.current();
  }

  /** Follows schema changes until the signal is aborted. */
  watch(signal: AbortSignal): Promise<void> {
    return this.#catalogue.watch(signal);
  }

  async answer(call: RestCall): Promise<RestAnswer> {
    const { answers, onSent } = await this.#answerAll([call], false);
    const [answer] = answers;
    if (answer === undefined || answer instanceof AppError) throw answer ?? new Error("a request has no response");
    return onSent === undefined ? answer : { ...answer, onSent };
  }

  /**
   * Runs the requests in order in one transaction. The first that fails rolls back all of them and is thrown. A read that only
   * cannot be represented as requested (none or several rows for a single object) rolls back nothing; its error takes its place
   * in the result. All of them together may cost what one request may.
   */
  answerBatch(calls: readonly [RestCall, ...RestCall[]]): Promise<BatchAnswer> {
    return this.#answerAll(calls, true);
  }

  /** The requests of one transaction: parse → plan → query → respond. What an outdated catalogue may have failed is tried again. */
  async #answerAll(calls: readonly [RestCall, ...RestCall[]], isBatch: boolean): Promise<BatchAnswer> {
    const parsed = await this.#catalogue.use(() => parseCalls(calls, isBatch, this.#options), isDoubtful);
    const [first, ...others] = parsed;
    if (isDescription(first.request)) return { answers: [await this.#describe(first)] };
    const requests = parsed.map(({ request }) => request);
    const buffer = this.#buffered.open(first.call.principal);
    try {
      const ofAll = [first.call, ...others.map(({ call }) => call)] as const;
      const transaction = { calls: ofAll, isBatch, buffer, writeKey: isBatch ? null : readWriteKey(first) };
      const { planned, results } = await this.#catalogue.use(
        async (catalogue) => {
          // What a first try has received.
          buffer.drop();
          const planned = parsed.map((one, index) => this.#plan(one, index, catalogue, transaction));
          return { planned, results: await this.#query(planned, transaction) };
        },
        (error) => isDoubtful(error, requests),
      );
      const answers = await Promise.all(planned.map((one, index) => this.#respond(one, results[index], isBatch)));
      return { answers, ...(buffer.isCounted && { onSent: buffer.release }) };
    } catch (error) {
      buffer.drop();
      throw error;
    }
  }

  /** The query for the visible objects also checks the session. */
  async #describe({ request, call, attempt }: ParsedCall): Promise<RestAnswer> {
    const { baseUrl, version, describeSchema: describe = null } = this.#options;
    const { schema, method } = request;
    const query = runDescription(SELECT_VISIBLE, [schema], call, this.#runOptions([], call));
    const visible = await query.catch(async (error: unknown) => {
      throw await explainError(error, { request, attempt }, call.principal, this.#options);
    });
    const catalogue = this.#catalogue.current();
    if (method === "OPTIONS") return answerOptions(request, catalogue);
    const visibility = readVisibility(visible);
    return answerRoot(request, catalogue, { describe, baseUrl: baseUrl(), version, visibility });
  }

  /** In a batch, an update of a missing row must roll back the others, so its statement fails. */
  #plan(parsed: ParsedCall, index: number, catalogue: Catalogue, { isBatch, writeKey }: RestTransaction): PlannedCall {
    const { request, attempt, call } = parsed;
    const isPinnedUpdate =
      attempt !== null && isWriteAttempt(attempt) && attempt.operation === "update" && attempt.pinnedId !== null;
    const plan = (): PlannedCall => {
      const prepared = prepareRequest(request, this.#plans.of(call.principal, catalogue), {
        limits: this.#limits,
        isPlanEnabled: this.#options.settings.dbPlanEnabled,
        isCountCapped: call.principal.role !== "service_role",
        isOwn: this.#options.isOwn,
        isOfPortal: this.#options.isOfPortal,
        mustBeSingle: isBatch && isPinnedUpdate,
        isCounted: isBatch,
        isKept: writeKey !== null,
      });
      requireForeignScopes(call, prepared.shape, this.#options.isOwn);
      return { ...parsed, prepared };
    };
    return isBatch ? inOperation(index, plan) : plan();
  }

  #query(planned: readonly PlannedCall[], transaction: RestTransaction): Promise<readonly RunResult[]> {
    const run = { ...this.#runOptions(planned, transaction.calls[0]), writeKey: transaction.writeKey };
    return queryPlanned(planned, transaction, { rest: this.#options, run, maxRows: this.#limits.maxRows });
  }

  #runOptions(parsed: readonly ParsedCall[], { principal, isTrial = false }: RestCall): RunOptions {
    const { database, settings, onWebhookWork } = this.#options;
    const isRollbackRequested = parsed.some(({ request }) => request.preferences.tx === "rollback");
    return {
      pool: principal.role === "service_role" ? database.service : database.user,
      searchPaths: this.#searchPaths,
      roleSettings: this.#catalogue.current().roleSettings.get(principal.role) ?? NO_SETTINGS,
      preRequest: settings.dbPreRequest,
      writeKey: null,
      statementTimeoutMs: settings.dbStatementTimeoutMs,
      shouldRollBack: isTrial || (settings.dbTxOverride && isRollbackRequested),
      maxResponseBytes: settings.dbResponseLimitBytes,
      ...(onWebhookWork !== undefined && { onWebhookWork }),
    };
  }

  /** In a batch, an error for the caller takes the place of the answer. */
  async #respond(
    planned: PlannedCall,
    result: RunResult | undefined,
    isBatch: boolean,
  ): Promise<RestAnswer | AppError> {
    if (result === undefined) throw new Error("a request has no result");
    const answer = this.#build(planned, result);
    return isBatch ? answer.catch(keepAppError) : answer;
  }

  async #build({ call, attempt, prepared }: PlannedCall, result: RunResult): Promise<RestAnswer> {
    const { rules, settings } = this.#options;
    const { request, media, shape } = prepared;
    if (media.explain !== null) return buildExplainAnswer(media, result.main);
    const main = readMainResult(result, shape.plan.answer.isCapped ? this.#limits.maxRows : null);
    if (attempt !== null && isMissed(attempt, prepared, main.rows)) {
      const missing = await rules.explainMissing(attempt);
      if (missing !== null) throw missing;
    }
    const answer = buildAnswer({
      request,
      rawSearch: call.input.search,
      media,
      plan: shape.plan,
      result: main,
      estimate: result.estimate === null ? null : readEstimate(result.estimate),
      multipleSchemas: settings.dbSchemas.length > 1,
      maxRows: this.#limits.maxRows,
      countCap: this.#limits.countCap,
      isRollbackAllowed: settings.dbTxOverride,
    });
    return result.isReplay === true ? { ...answer, headers: { ...answer.headers, ...REPLAYED } } : answer;
  }
}
