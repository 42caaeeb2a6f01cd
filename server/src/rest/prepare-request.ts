import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ParsedRequest } from "./parse/parsed-request.ts";
import { settleCall } from "./plan/call-settle.ts";
import { findFunction } from "./plan/find-function.ts";
import { parameteriseRequest } from "./plan/parameterise-request.ts";
import { namesOf, type TouchedName } from "./plan/names-of.ts";
import type { Plan } from "./plan/plan.ts";
import { planRequest } from "./plan/plan-request.ts";
import { checkWrite } from "./plan/write-check.ts";
import { isWithoutEffect } from "./plan/write-columns.ts";
import { type AnswerMedia, negotiate } from "./respond/negotiate.ts";
import type { RequestShapeCache } from "./request-shape-cache.ts";
import { renderPlan } from "./sql/render.ts";
import type { PlannedStatements } from "./sql/statement.ts";

export interface RequestShape {
  readonly plan: Plan;
  readonly statements: PlannedStatements;
  /** Runs SQL that is not part of the service, which may read the request settings and leave state on the connection. */
  readonly isForeign: boolean;
}

export interface PreparedRequest {
  readonly request: ParsedRequest;
  readonly media: AnswerMedia;
  readonly shape: RequestShape;
  readonly values: readonly (string | null)[];
}

export interface PrepareOptions {
  readonly shapes: RequestShapeCache<RequestShape>;
  readonly maxRows: number | null;
  readonly isPlanEnabled: boolean;
  isOwn(name: TouchedName): boolean;
  /** The statement must fail unless it affects one row, although the request alone does not require that. */
  readonly mustBeSingle?: boolean;
}

/** Plans and renders a request, or takes both from the cache of request shapes. Otherwise pure. */
export function prepareRequest(
  parsed: ParsedRequest,
  catalogue: Catalogue,
  { maxRows, isPlanEnabled, shapes, isOwn, mustBeSingle = false }: PrepareOptions,
): PreparedRequest {
  const called = parsed.target.kind === "rpc" ? findFunction(catalogue, parsed) : null;
  const request = called === null ? parsed : settleCall(parsed, called);
  const media = negotiate(request, { isPlanEnabled, functionResult: called?.returns ?? null });
  const { key, values, placeholders, isCapped } = parameteriseRequest(request, media, { maxRows });
  const shape = shapes.get(catalogue, mustBeSingle ? `single ${key}` : key, () => {
    const planned = planRequest(request, called, { catalogue, media, placeholders, isCapped });
    // An update without columns to change finds no row, which is not an error.
    const isDemanded = mustBeSingle && !(planned.kind === "write" && isWithoutEffect(planned.write));
    const plan = isDemanded ? { ...planned, answer: { ...planned.answer, mustBeSingle } } : planned;
    return { plan, statements: renderPlan(plan), isForeign: !namesOf(plan).every(isOwn) };
  });
  if (shape.plan.kind === "write") checkWrite(request, shape.plan);
  return { request, media, shape, values };
}
