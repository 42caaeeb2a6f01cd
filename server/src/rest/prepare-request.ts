import type { Catalogue, FunctionEntry, MediaHandler } from "./catalogue/catalogue.ts";
import { findMediaHandlers } from "./catalogue/media-handlers.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { settleCall } from "./plan/settle-call.ts";
import { findFunction } from "./plan/find-function.ts";
import { parameteriseRequest } from "./plan/parameterise-request.ts";
import { namesOf, type TouchedName } from "./plan/names-of.ts";
import type { Plan } from "./plan/plan.ts";
import { planRequest } from "./plan/plan-request.ts";
import { checkWrite } from "./plan/write-check.ts";
import { isWithoutEffect } from "./plan/write-columns.ts";
import { type AnswerMedia, negotiate } from "./plan/negotiate.ts";
import type { RequestShapeCache } from "./request-shape-cache.ts";
import type { StatementLimits } from "./sql/draft.ts";
import { renderPlan } from "./sql/render-plan.ts";
import type { PlannedStatements } from "./sql/planned-statement.ts";

export interface RequestShape {
  readonly plan: Plan;
  readonly statements: PlannedStatements;
  /** Runs SQL that is not part of the service, which may read the request settings and leave state on the connection. */
  readonly isForeign: boolean;
  /** The portal reaches everything that it uses. */
  readonly isOfPortal: boolean;
}

export interface PreparedRequest {
  readonly request: ParsedRequest;
  readonly media: AnswerMedia;
  readonly shape: RequestShape;
  readonly values: readonly (string | null)[];
}

/** The catalogue that a caller may use, and the shapes that were planned with it. */
export interface PlanSource {
  readonly catalogue: Catalogue;
  readonly shapes: RequestShapeCache<RequestShape>;
}

interface PrepareOptions {
  readonly limits: StatementLimits;
  readonly isPlanEnabled: boolean;
  /** Estimates would tell the caller about rows that row-level rules hide. */
  readonly isCountCapped: boolean;
  isOwn(name: TouchedName): boolean;
  isOfPortal(name: TouchedName): boolean;
  /** The statement must fail unless it affects one row, although the request alone does not require that. */
  readonly mustBeSingle?: boolean;
  /** The statement must count its bytes, although the request alone does not require that. */
  readonly isCounted?: boolean;
  /** The statement must store its result under the idempotency key of its transaction. */
  readonly isKept?: boolean;
}

/** Plans and renders a request, or takes both from the cache of request shapes. Otherwise pure. */
export function prepareRequest(
  parsed: ParsedRequest,
  { catalogue, shapes }: PlanSource,
  options: PrepareOptions,
): PreparedRequest {
  const { limits, isPlanEnabled, isCountCapped, mustBeSingle = false, isCounted = false, isKept = false } = options;
  const called = parsed.target.kind === "rpc" ? findFunction(catalogue, parsed) : null;
  const request = called === null ? parsed : settleCall(parsed, called);
  const media = negotiate(request, {
    isPlanEnabled,
    functionResult: called?.returns ?? null,
    handlers: handlersOf(request, called, catalogue),
  });
  const { key, values, placeholders, isCapped } = parameteriseRequest(request, media, {
    maxRows: limits.maxRows,
    isCountCapped,
  });
  const fullKey = `${mustBeSingle ? "single " : ""}${isCounted ? "counted " : ""}${isKept ? "kept " : ""}${key}`;
  const shape = shapes.get(catalogue, fullKey, () => {
    const planned = planRequest(request, called, { catalogue, media, placeholders, isCapped, isCountCapped });
    // An update without columns to change finds no row, which is not an error.
    const isDemanded = mustBeSingle && !(planned.kind === "write" && isWithoutEffect(planned.write));
    const { answer } = planned;
    const demands = {
      ...(isDemanded && { mustBeSingle }),
      ...(isCounted && { isCounted }),
      ...(isKept && { isKept }),
      ...(media.explain !== null && { isExplained: true }),
    };
    const plan = { ...planned, answer: { ...answer, ...demands } };
    const names = namesOf(plan);
    const [isForeign, isOfPortal] = [!names.every(options.isOwn), names.every(options.isOfPortal)];
    return { plan, statements: renderPlan(plan, limits), isForeign, isOfPortal };
  });
  if (shape.plan.kind === "write") checkWrite(request, shape.plan);
  return { request, media, shape, values };
}

function handlersOf(
  { target, schema, query: { select } }: ParsedRequest,
  called: FunctionEntry | null,
  { mediaHandlers }: Catalogue,
): readonly MediaHandler[] {
  if (mediaHandlers.length === 0 || target.kind === "root" || called?.returns.kind === "scalar") return [];
  const relation = called === null ? { schema, name: target.name } : called.returns.rowOf;
  return findMediaHandlers(mediaHandlers, relation, select.length === 1 && select[0]?.kind === "star");
}

/** It cannot be rejected any more when its rows arrive. */
export function returnsWritten({ shape: { plan } }: PreparedRequest): boolean {
  return plan.answer.isCounted === true && plan.answer.body.kind !== "none";
}
