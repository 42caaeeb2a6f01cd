import { isUuid } from "@swarmbase/sdk";
import * as z from "zod";
import { isRecord } from "../json/index.ts";
import { authError } from "./auth-error.ts";
import type { AuthCall } from "./call.ts";
import { findUnstorable } from "./find-unstorable.ts";

/** Parses the body. A null member counts as absent: clients send null for parameters that they do not use. */
export function parseAuthBody<Schema extends z.ZodType>(
  schema: Schema,
  call: Pick<AuthCall, "body">,
): z.output<Schema> {
  if (!isRecord(call.body)) throw authError("bad_json", "The request body must be a JSON object");
  const unstorable = findUnstorable(call.body);
  if (unstorable !== null) throw authError("validation_failed", unstorable);
  const given = Object.fromEntries(Object.entries(call.body).filter(([, value]) => value !== null));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  const message = issue?.message ?? "The request is not valid";
  throw authError("validation_failed", field === "" ? message : `${field}: ${message}`);
}

/** An id in a body. */
export const UUID_TEXT = z.string().refine(isUuid, "must be an UUID");

/** Returns an id of the path. An invalid UUID identifies nothing, so the status is 404 and not 400. */
export function getPathId(params: Readonly<Record<string, string>>, name: string, label: string): string {
  const id = params[name] ?? "";
  if (!isUuid(id)) throw authError("validation_failed", `${label} must be an UUID`, { status: 404 });
  return id.toLowerCase();
}
