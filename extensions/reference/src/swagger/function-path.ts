import type { FunctionEntry, Parameter } from "swarmbase/extension";
import { describeElement, describeType, formatOf } from "./describe-type.ts";
import {
  referTo,
  type SwaggerOperation,
  type SwaggerParameter,
  type SwaggerPath,
  type SwaggerSchema,
  splitComment,
} from "./swagger.ts";

export const PRODUCED_JSON = [
  "application/json",
  "application/vnd.pgrst.object+json;nulls=stripped",
  "application/vnd.pgrst.object+json",
];

const RAW_BODIES: Readonly<Record<string, string>> = {
  text: "text/plain",
  xml: "text/xml",
  bytea: "application/octet-stream",
};

/** One path for all overloads of a name: the union of their parameters, required if all overloads require them. */
export function describeFunctionPath(overloads: readonly FunctionEntry[]): SwaggerPath {
  const [first] = overloads;
  if (first === undefined) return {};
  const comment = overloads.find((overload) => overload.comment !== null)?.comment ?? null;
  const parameters = mergeParameters(overloads);
  const operation: SwaggerOperation = {
    tags: [`(rpc) ${first.name}`],
    ...splitComment(comment),
    produces: PRODUCED_JSON,
    responses: { 200: { description: "OK" } },
  };
  const bodies = overloads.flatMap(({ unnamedBody }) => (unnamedBody === null ? [] : [unnamedBody]));
  const consumes = bodies.flatMap((body) => RAW_BODIES[body] ?? []);
  return {
    ...(overloads.some(({ volatility }) => volatility !== "volatile") && {
      get: { ...operation, parameters: parameters.map(describeArgument) },
    }),
    post: {
      ...operation,
      ...(consumes.length > 0 && { consumes: ["application/json", ...consumes] }),
      parameters: [
        { name: "args", required: true, in: "body", schema: describeArguments(parameters, comment, bodies.length > 0) },
        referTo("parameters", "preferParams"),
      ],
    },
  };
}

function mergeParameters(overloads: readonly FunctionEntry[]): readonly Parameter[] {
  const merged = new Map<string, Parameter>();
  for (const { parameters } of overloads) {
    for (const parameter of parameters) {
      if (parameter.name !== "" && !merged.has(parameter.name)) merged.set(parameter.name, parameter);
    }
  }
  const isNeeded = (name: string) =>
    overloads.every(({ parameters }) => parameters.some((one) => one.name === name && one.isRequired));
  return [...merged.values()].map((parameter) => ({ ...parameter, isRequired: isNeeded(parameter.name) }));
}

function describeArguments(
  parameters: readonly Parameter[],
  comment: string | null,
  takesWholeBody: boolean,
): SwaggerSchema {
  // A body that is passed whole may have any schema.
  if (takesWholeBody && parameters.length === 0) return comment === null ? {} : { description: comment };
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    ...(comment !== null && { description: comment }),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(parameters.map(({ name, type }) => [name, describeType(type)])),
    type: "object",
  };
}

/** In a query all values are texts; arrays are written as `{1,2}`, but those of a variadic parameter one by one. */
function describeArgument({ name, type, isRequired, isVariadic }: Parameter): SwaggerParameter {
  const argument = { name, required: isRequired, in: "query" } as const;
  if (isVariadic) {
    const element = type.label.replace(/\[\]$/, "");
    const items = { type: "string", ...describeElement(element), format: formatOf(element) } as const;
    return { ...argument, type: "array", items, collectionFormat: "multi" };
  }
  const { type: described = "string" } = describeType(type);
  return { ...argument, type: described === "array" ? "string" : described, format: formatOf(type.label) };
}
