import assert from "node:assert/strict";
import { OPERATORS } from "../../../src/operators/index.ts";
import { parseRequest, type RequestInput } from "../../../src/rest/parse/parse-request.ts";
import { AppError } from "../../../src/errors/index.ts";
import type { ParsedRequest } from "../../../src/rest/parse/parsed-request.ts";
import { type ParameterisedRequest, parameteriseRequest } from "../../../src/rest/plan/parameterise-request.ts";
import type { Embed, Expression, OrderBy, Output, Predicate, ReadNode, ReadPlan } from "../../../src/rest/plan/plan.ts";
import { planRead } from "../../../src/rest/plan/plan-read.ts";
import type { AnswerMedia } from "../../../src/rest/plan/negotiate.ts";
import { SHOP } from "./shop-catalogue.ts";

export const ROWS: AnswerMedia = {
  contentType: "application/json; charset=utf-8",
  body: { kind: "array", hasNulls: true },
  explain: null,
};

export interface Planned {
  readonly request: ParsedRequest;
  readonly parameterised: ParameterisedRequest;
  readonly plan: ReadPlan;
}

/** A read of the shop by its path and query, as in `projects?select=id`. */
export function planOf(url: string, options: { maxRows?: number; input?: Partial<RequestInput> } = {}): Planned {
  const { request, parameterised } = parameterisedOf(url, options);
  if (request.target.kind !== "relation") throw new Error("only relations are read here");
  const relation = { schema: request.schema, name: request.target.name };
  const { placeholders, isCapped } = parameterised;
  return {
    request,
    parameterised,
    plan: planRead(request, relation, { catalogue: SHOP, media: ROWS, placeholders, isCapped }),
  };
}

export function parameterisedOf(
  url: string,
  { maxRows, input, media }: { maxRows?: number; input?: Partial<RequestInput>; media?: AnswerMedia } = {},
): Pick<Planned, "request" | "parameterised"> {
  const at = url.indexOf("?");
  const [path, search] = at === -1 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
  const usual = { method: "GET", headers: {}, body: null, contentType: null };
  const request = parseRequest({ ...usual, path: `/${path}`, search, ...input }, { schemas: ["public", "other"] });
  return { request, parameterised: parameteriseRequest(request, media ?? ROWS, { maxRows: maxRows ?? null }) };
}

export interface Rejection {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly details: unknown;
  readonly hint: string | null;
}

export function rejectionOf(act: () => unknown): Rejection {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof AppError);
    const { status, message, extra } = error;
    const { foreign, details = null, hint = null } = extra;
    return { code: foreign?.code ?? "", status, message, details, hint };
  }
  return assert.fail("was planned");
}

/** The root as a few words for each of its parts, with the values in place of their placeholders. */
export function outlineOf(url: string): NodeOutline {
  const { plan, parameterised } = planOf(url);
  return outlineNode(plan.root, parameterised.values);
}

export interface NodeOutline {
  readonly outputs: readonly unknown[];
  readonly where?: readonly string[];
  readonly order?: readonly string[];
  readonly limit?: string;
  readonly offset?: string;
  readonly isAggregated?: true;
}

type Values = ParameterisedRequest["values"];

function outlineNode(node: ReadNode, values: Values): NodeOutline {
  return {
    outputs: node.outputs.map((output) => outlineOutput(output, values)),
    ...(node.where.length > 0 && { where: node.where.map((predicate) => outlinePredicate(predicate, values)) }),
    ...(node.order.length > 0 && { order: node.order.map(outlineOrder) }),
    ...(node.limit !== null && { limit: String(values[node.limit]) }),
    ...(node.offset !== null && { offset: String(values[node.offset]) }),
    ...(node.isAggregated && { isAggregated: true }),
  };
}

function outlineOutput(output: Output, values: Values): unknown {
  switch (output.kind) {
    case "star":
      return "*";
    case "value":
      return `${output.name} = ${outlineExpression(output.value)}`;
    case "aggregate": {
      const value = output.value === null ? "" : outlineExpression(output.value);
      return `${output.name} = ${output.function}(${value})${outlineCast(output.cast)}`;
    }
    case "embed":
      return { [`${output.name} = ${outlineEmbed(output.embed)}`]: outlineNode(output.embed.node, values) };
    case "spread":
      return { [`...${outlineEmbed(output.embed)}`]: outlineNode(output.embed.node, values) };
  }
}

function outlineEmbed({ relationship, isToOne }: Embed): string {
  const by = relationship.kind === "computed" ? "()" : relationship.kind === "many-to-many" ? " through" : "";
  return `${isToOne ? "one" : "many"} ${relationship.target.name}${by}`;
}

function outlineExpression({ of, path, isJson, cast }: Expression): string {
  const name = of.kind === "column" ? of.name : of.kind === "computed" ? `${of.function.name}()` : "scalar";
  const steps = path.map(({ kind, key }) => `${kind}${key}`).join("");
  const known = of.type === null ? `${name}?` : name;
  return `${path.length > 0 && !isJson ? `json(${known})` : known}${steps}${outlineCast(cast)}`;
}

function outlineCast(cast: string | null): string {
  return cast === null ? "" : `::${cast}`;
}

function outlinePredicate(predicate: Predicate, values: Values): string {
  const not = predicate.isNegated ? "not " : "";
  switch (predicate.kind) {
    case "compare": {
      const { left, operator, quantifier, right } = predicate;
      return `${not}${outlineExpression(left)} ${operator}${quantifier === null ? "" : ` ${quantifier}`} ${values[right]}`;
    }
    case "is":
      return `${not}${outlineExpression(predicate.left)} is ${predicate.state}`;
    case "search": {
      const { left, operator, config, right, isVector } = predicate;
      const vector = isVector ? outlineExpression(left) : `vector(${outlineExpression(left)})`;
      return `${not}${vector} @@ ${OPERATORS[operator].sql}(${config === null ? "" : `${values[config]}, `}${values[right]})`;
    }
    case "logic":
      return `${not}${predicate.operator}(${predicate.operands.map((part) => outlinePredicate(part, values)).join(", ")})`;
    case "exists": {
      const { embed } = predicate;
      const where = embed.node.where.map((inner) => outlinePredicate(inner, values)).join(", ");
      return `${not}exists ${outlineEmbed(embed)}(${where})`;
    }
  }
}

function outlineOrder({ by, direction, nulls }: OrderBy): string {
  const value =
    by.kind === "output"
      ? `key ${by.name}`
      : by.kind === "own"
        ? outlineExpression(by.value)
        : `${outlineEmbed(by.embed)}.${outlineExpression(by.value)}`;
  return [value, direction, nulls].filter((word) => word !== null).join(" ");
}
