import type { z } from "zod";
import { AppError } from "../errors/index.ts";
import { describeUnknownMembers } from "./describe-unknown-members.ts";
import type { WarnableCall } from "./function-call.ts";

const TYPE_TEXTS: Readonly<Record<string, string>> = {
  string: "must be a string",
  number: "must be a number",
  int: "must be an integer",
  boolean: "must be true or false",
  array: "must be an array",
  object: "must be a JSON object",
  record: "must be a JSON object",
};

const FORMAT_TEXTS: Readonly<Record<string, string>> = {
  guid: "must be a UUID",
  datetime: "must be a time in ISO 8601, with its offset",
};

/** Parses the body. Reports all faults at once, by dotted path, and warns of unknown members. */
export function parseFunctionBody<T>(schema: z.ZodType<T>, { body, warn }: Pick<WarnableCall, "body" | "warn">): T {
  for (const warning of describeUnknownMembers(schema, body)) warn(warning);
  const result = schema.safeParse(body, { error: describeFault });
  if (result.success) return result.data;
  const details: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const { path, message } of result.error.issues) details[path.map(String).join(".") || "body"] ??= message;
  throw invalidBodyError({ ...details });
}

export function invalidBodyError(details: Record<string, string>): AppError {
  return new AppError("VALIDATION_ERROR", "The request body is not valid", { details });
}

/** Renders a schema fault in the wording of the table rules. Messages of the schema take precedence. */
function describeFault(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.path !== undefined && issue.path.length > 0) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return TYPE_TEXTS[issue.expected] ?? "is of the wrong type";
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "invalid_format":
      return FORMAT_TEXTS[issue.format] ?? "is not written as it must be";
    case "invalid_union":
      return "options" in issue
        ? `must be one of ${(issue["options"] as unknown[]).join(", ")}`
        : "is of the wrong type";
    case "too_small":
      return describeBound(issue.origin, `at least ${issue.minimum}`);
    case "too_big":
      return describeBound(issue.origin, `at most ${issue.maximum}`);
    case "unrecognized_keys":
      return `has members that are not known: ${issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(", ")}`;
    default:
      return "is not valid";
  }
}

function describeBound(origin: string, bound: string): string {
  if (origin === "string") return `must have ${bound} characters`;
  return origin === "array" ? `must have ${bound} entries` : `must be ${bound}`;
}
