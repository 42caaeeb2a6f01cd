import { AppError } from "../errors/index.ts";
import type { FunctionCall } from "./function-call.ts";

/** Returns null when the call has none. */
export function readIdempotencyKey({ "idempotency-key": key }: FunctionCall["headers"]): string | null {
  if (key === undefined) return null;
  if (key.length === 0 || key.length > 255) throw invalidKey("must have 1 to 255 characters");
  // Extensions call functions without HTTP, whose headers have neither.
  if (key.includes("\0") || !key.isWellFormed()) throw invalidKey("must be text without zero bytes");
  return key;
}

function invalidKey(fault: string): AppError {
  return new AppError("VALIDATION_ERROR", `The Idempotency-Key ${fault}`, { details: { "Idempotency-Key": fault } });
}
