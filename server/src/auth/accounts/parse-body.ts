import type * as z from "zod";
import { isRecord } from "../../json/index.ts";
import { authError } from "../auth-error.ts";
import type { AuthCall } from "../call.ts";
import { findUnstorable } from "./find-unstorable.ts";

/** The body as the schema knows it. A member that is null counts as absent: clients send null for what they do not use. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, call: Pick<AuthCall, "body">): z.output<Schema> {
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
