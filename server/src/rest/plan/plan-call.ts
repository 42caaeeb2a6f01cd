import { type FunctionEntry, findRelation, type Parameter, type UnnamedBody } from "../catalogue/catalogue.ts";
import type { ArgumentPair, ParsedBody, ParsedRequest } from "../parse/parsed-request.ts";
import { restError } from "../rest-error.ts";
import type { Placeholders } from "./parameterise-request.ts";
import type { AnswerPlan, BodyForm, CallArguments, CallPlan, ReadNode, Placeholder } from "./plan.ts";
import type { PlanContext } from "./plan-context.ts";
import { decideCount, planNode } from "./plan-read.ts";

/** Plans a call of a request that `settleCall` has resolved. */
export function planCall(request: ParsedRequest, called: FunctionEntry, context: PlanContext): CallPlan {
  const { method } = request;
  const mayWrite = method === "POST" && called.volatility === "volatile";
  const planned = planShown(request, called, context);
  const isCapped = context.isCapped && planned !== null && called.returns.isSet;
  const shown = planned !== null && isCapped ? { ...planned, isCapped } : planned;
  return {
    kind: "call",
    call: { function: called, arguments: planArguments(request, called, context.placeholders), mayWrite },
    shown,
    answer: {
      body: decideBody(request, context),
      count: called.returns.isSet ? decideCount(request, context) : countSingle(request),
      mustBeSingle: mayWrite && context.media.body.kind === "object",
      maxAffected: planMaxAffected(request, called, context.placeholders),
      isCapped,
      isCounted: mayWrite,
    },
  };
}

/** Counting one result needs no estimate. */
function countSingle({ preferences }: ParsedRequest): AnswerPlan["count"] {
  return preferences.count === null ? null : "exact";
}

/** HEAD has no body; a POST has none with `return=minimal`. */
function decideBody({ method, preferences }: ParsedRequest, { media }: PlanContext): BodyForm {
  return method === "HEAD" || preferences.return === "minimal" ? { kind: "none" } : media.body;
}

function planShown(request: ParsedRequest, called: FunctionEntry, context: PlanContext): ReadNode | null {
  const { schema, name, returns } = called;
  const source = { kind: "call" } as const;
  if (returns.kind === "composite") {
    const relation = returns.rowOf === null ? null : findRelation(context.catalogue, returns.rowOf);
    const columns = relation?.columns ?? returns.columns;
    return planNode(request.query, { source, name: relation ?? { schema, name }, relation, columns }, context);
  }
  if (!returns.isSet || returns.kind === "void") return null;
  // Scalars have no columns to select, but their list can be limited.
  const node = planNode({ ...request.query, select: [] }, { source, relation: null, columns: null }, context);
  const value = { of: { kind: "scalar", type: returns.type }, path: [], isJson: false, cast: null } as const;
  return { ...node, outputs: [{ kind: "value", name, value }] };
}

function planArguments(
  { query, body }: ParsedRequest,
  called: FunctionEntry,
  placeholders: Placeholders,
): CallArguments {
  switch (body.kind) {
    case "none":
    case "form": {
      const pairs = body.kind === "form" ? body.pairs : query.args.map(({ pair }) => pair);
      return planNamed(pairs, called, placeholders);
    }
    case "json":
    case "raw":
    case "rows": {
      const names = body.kind === "rows" ? (query.columns ?? body.keys) : [];
      if (called.unnamedBody !== null && isPassedWhole(body, names, called.unnamedBody))
        return { kind: "body", body: placeholders.body(), type: called.unnamedBody };
      const parameters = called.parameters.filter(({ name }) => names.includes(name));
      return parameters.length === 0 ? { kind: "none" } : { kind: "json", text: placeholders.body(), parameters };
    }
  }
}

/** An object whose only name is empty names the parameter. Any other object is a value of JSON types alone. */
function isPassedWhole({ kind }: ParsedBody, names: readonly string[], type: UnnamedBody): boolean {
  if (kind !== "rows") return true;
  const isNamed = names.length === 1 && names[0] === "";
  return !isNamed && (type === "json" || type === "jsonb");
}

function planNamed(
  pairs: readonly ArgumentPair[],
  { parameters }: FunctionEntry,
  placeholders: Placeholders,
): CallArguments {
  const values: { readonly parameter: Parameter; readonly value: Placeholder }[] = [];
  for (const parameter of parameters) {
    const index = pairs.findLastIndex(([name]) => name === parameter.name);
    if (index !== -1) values.push({ parameter, value: placeholders.argument(index) });
  }
  return values.length === 0 ? { kind: "none" } : { kind: "named", values };
}

function planMaxAffected(
  { preferences }: ParsedRequest,
  { returns }: FunctionEntry,
  placeholders: Placeholders,
): Placeholder | null {
  if (preferences.handling !== "strict" || preferences.maxAffected === null) return null;
  if (returns.isSet) return placeholders.maxAffected();
  throw restError(
    "PGRST128",
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  );
}
