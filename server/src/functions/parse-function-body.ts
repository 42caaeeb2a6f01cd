import type { z } from "zod";
import { AppError } from "../errors/index.ts";
import type { WarnableCall } from "./function-call.ts";
import { describeFault } from "./describe-fault.ts";
import { describeUnknownMembers } from "./describe-unknown-members.ts";

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
