import { failedStatementOf } from "@swarmbase/postgres";
import { AppError } from "../errors/index.ts";
import { applyRules } from "./apply-rules.ts";
import { attemptOf, isWriteAttempt } from "./attempt.ts";
import { NO_SETTINGS } from "./catalogue/build-settings.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { type CatalogueHolder, openCatalogue } from "./catalogue/watch-catalogue.ts";
import { type BufferedResponse, BufferedBytes } from "./buffered-bytes.ts";
import { answerOptions, answerRoot, readVisibility } from "./describe.ts";
import { explainError, isDoubtful } from "./explain-error.ts";
import { isMissed } from "./is-missed.ts";
import { isReplay, loadKeptResult, REPLAYED } from "./kept-result.ts";
import { locateRow } from "./locate-row.ts";
import { inOperation, keepAppError, nameOperation } from "./operation-errors.ts";
import { readMethodOverride } from "./parse/read-method-override.ts";
import { parseRequest } from "./parse/parse-request.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { type PreparedRequest, prepareRequest, returnsWritten } from "./prepare-request.ts";
import { isWithoutEffect } from "./plan/write-columns.ts";
import { buildAnswer, buildExplainAnswer } from "./respond/build-answer.ts";
import { readEstimate, readMainResult } from "./respond/main-result.ts";
import { QueryCost } from "./query-cost.ts";
import { requireForeignScopes, requirePortalTarget } from "./require-foreign-scopes.ts";
import type { BatchAnswer, RestAnswer, RestCall } from "./rest-call.ts";
import type { RestOptions } from "./rest-options.ts";
import { groupOf, type RunOptions, runDescription, runPrepared } from "./run-prepared.ts";
import type { RunResult } from "./statement-group.ts";
import { PlanSources } from "./plan-sources.ts";
import type { StatementLimits } from "./sql/draft.ts";
import { SELECT_VISIBLE } from "./sql/select-visible.ts";
import type { ReadAttempt, WriteAttempt } from "./table-rules.ts";
import { readWriteKey, type WriteKey } from "./write-key.ts";

/** A parsed request that has passed the rules of its table. */
interface CheckedRequest {
  readonly call: RestCall;
  readonly request: ParsedRequest;
  readonly attempt: ReadAttempt | WriteAttempt | null;
}

/** Requests of one transaction. */
interface Run {
  readonly call: RestCall;
  readonly isBatch: boolean;
  readonly buffer: BufferedResponse;
  readonly writeKey: WriteKey | null;
}

export async function openRest(options: RestOptions): Promise<RestModule> {
  const { database, listenUrl, settings, observer } = options;
  const read = { pool: database.service, commits: database.commits, schemas: settings.dbSchemas };
  return new RestModule(options, await openCatalogue({ ...read, listenUrl, observer }));
}

/** Answers REST requests. Throws errors for callers as `AppError`. */
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
    const read = () => this.#read(call, new QueryCost(this.#options.settings));
    const checked = await this.#catalogue.use(read, isDoubtful);
    const { method, target } = checked.request;
    if (method === "OPTIONS" || target.kind === "root") return this.#describe(checked);
    const buffer = this.#buffered.open(call.principal);
    try {
      const writeKey = readWriteKey(checked);
      const [build] = await this.#answerAll([checked], { call, isBatch: false, buffer, writeKey });
      if (build === undefined) throw new Error("a request has no response");
      const answer = await build();
      return buffer.isCounted ? { ...answer, onSent: buffer.release } : answer;
    } catch (error) {
      buffer.drop();
      throw error;
    }
  }

  /**
   * Runs the requests in order in one transaction. The first that fails rolls back all of them and is thrown. A read that only
   * cannot be represented as requested (none or several rows for a single object) rolls back nothing; its error takes its place
   * in the result. All of them together may cost what one request may.
   */
  async answerBatch(calls: readonly [RestCall, ...RestCall[]]): Promise<BatchAnswer> {
    const checked = await this.#catalogue.use(() => {
      const cost = new QueryCost(this.#options.settings);
      return calls.map((call, index) => inOperation(index, () => this.#readForBatch(call, cost)));
    }, isDoubtful);
    const buffer = this.#buffered.open(calls[0].principal);
    try {
      const builds = await this.#answerAll(checked, { call: calls[0], isBatch: true, buffer, writeKey: null });
      const answers = await Promise.all(builds.map((build) => build().catch(keepAppError)));
      return { answers, ...(buffer.isCounted && { onSent: buffer.release }) };
    } catch (error) {
      buffer.drop();
      throw error;
    }
  }

  #readForBatch(call: RestCall, cost: QueryCost): CheckedRequest {
    const checked = this.#read(call, cost);
    const { method, target } = checked.request;
    if (method === "OPTIONS" || target.kind === "root") {
      throw new AppError("BAD_REQUEST", "A batch is made of reads and writes of tables and of calls of functions");
    }
    if (target.kind === "rpc" && method !== "POST") {
      throw new AppError("BAD_REQUEST", "In a batch a function is called by POST: the transaction is not read-only");
    }
    return checked;
  }

  #read(call: RestCall, cost: QueryCost): CheckedRequest {
    const input = readMethodOverride(call.input);
    const request = parseRequest(input, { schemas: this.#options.settings.dbSchemas });
    requirePortalTarget(call, request, this.#options.isOfPortal);
    cost.add(request.query.select);
    const attempt = attemptOf(request, call.principal);
    return { call: { ...call, input }, request: applyRules(request, attempt, this.#options), attempt };
  }

  /** The query for the visible objects also checks the session. */
  async #describe({ request, call, attempt }: CheckedRequest): Promise<RestAnswer> {
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

  #answerAll(checked: readonly CheckedRequest[], run: Run): Promise<readonly (() => Promise<RestAnswer>)[]> {
    const requests = checked.map(({ request }) => request);
    return this.#catalogue.use(
      (catalogue) => {
        // What a first try has received.
        run.buffer.drop();
        return this.#answerWith(catalogue, checked, run);
      },
      (error) => isDoubtful(error, requests),
    );
  }

  async #answerWith(
    catalogue: Catalogue,
    checked: readonly CheckedRequest[],
    run: Run,
  ): Promise<readonly (() => Promise<RestAnswer>)[]> {
    const prepared = checked.map((one, index) => {
      const prepare = () => this.#prepare(one, catalogue, run);
      return run.isBatch ? inOperation(index, prepare) : prepare();
    });
    const results = await this.#run(prepared, checked, run);
    return checked.map((one, index) => {
      const [entry, result] = [prepared[index], results[index]];
      if (entry === undefined || result === undefined) throw new Error("a request has no result");
      return () => this.#build(one, entry, result);
    });
  }

  /** In a batch, an update of a missing row must roll back the others, so its statement fails. */
  #prepare({ request, attempt, call }: CheckedRequest, catalogue: Catalogue, run: Run): PreparedRequest {
    const { isBatch, writeKey } = run;
    const isPinnedUpdate =
      attempt !== null && isWriteAttempt(attempt) && attempt.operation === "update" && attempt.pinnedId !== null;
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
    return prepared;
  }

  async #run(
    prepared: readonly PreparedRequest[],
    checked: readonly CheckedRequest[],
    { call, isBatch, buffer, writeKey }: Run,
  ): Promise<readonly RunResult[]> {
    const [, ...others] = checked;
    const calls = [checked[0]?.call ?? call, ...others.map((one) => one.call)] as const;
    if (prepared.some(returnsWritten)) buffer.requireShare();
    const options = { ...this.#runOptions(checked, call), writeKey };
    try {
      const results = await runPrepared(prepared, calls, { ...options, onBytes: buffer.add, admitSlow: buffer.admit });
      const isWrite = checked.some(({ request }) => request.method !== "GET" && request.method !== "HEAD");
      if (isWrite) this.#options.onWrite?.(calls.map(({ input }) => input.path));
      return results;
    } catch (error) {
      const [only] = prepared;
      if (only !== undefined && isReplay(error, options)) return [await this.#replay(only, call, options)];
      const statementIndex = error instanceof Error ? failedStatementOf(error) : null;
      // An error on entering or at commit (deferred constraints) belongs to no single request.
      const index = statementIndex === null ? -1 : groupOf(prepared, statementIndex, options);
      const rejectedIndex = index < 0 && !isBatch ? 0 : index;
      const [rejected, entry] = [checked[rejectedIndex], prepared[rejectedIndex]];
      if (rejected === undefined || entry === undefined)
        throw await explainError(error, null, call.principal, this.#options);
      const { plan } = entry.shape;
      const rejection = {
        ...rejected,
        isWithoutEffect: plan.kind === "write" && isWithoutEffect(plan.write),
        rowIndex:
          index < 0
            ? null
            : await locateRow(
                error,
                { attempt: rejected.attempt, prepared: prepared.slice(0, index + 1), calls },
                { ...options, maxRows: this.#limits.maxRows },
              ),
      };
      const fault = await explainError(error, rejection, call.principal, this.#options);
      throw isBatch && index >= 0 ? nameOperation(fault, index) : fault;
    }
  }

  async #replay(prepared: PreparedRequest, call: RestCall, options: RunOptions): Promise<RunResult> {
    try {
      return await loadKeptResult(prepared, call, options);
    } catch (error) {
      throw await explainError(error, null, call.principal, this.#options);
    }
  }

  #runOptions(checked: readonly CheckedRequest[], { principal, isTrial = false }: RestCall): RunOptions {
    const { database, settings, onWebhookWork } = this.#options;
    const isRollbackRequested = checked.some(({ request }) => request.preferences.tx === "rollback");
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

  async #build({ call, attempt }: CheckedRequest, prepared: PreparedRequest, result: RunResult): Promise<RestAnswer> {
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
