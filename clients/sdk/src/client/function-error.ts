import type { Run } from "../function-types/run-answers.ts";
import type { Json, JsonObject } from "../json.ts";
import type { FunctionErrorCode, FunctionName } from "./function-types.ts";

/** An error response of a function. Its message is that of the service. */
export class FunctionError<Name extends FunctionName = FunctionName> extends Error {
  override readonly name = "FunctionError";
  readonly functionName: Name;
  readonly status: number;
  /** A newer service can have further codes, so a `switch` needs a default. */
  readonly code: FunctionErrorCode<Name>;
  /** A message for each invalid field, with `VALIDATION_ERROR`. */
  readonly details: Json;
  /** With 429 and 503. */
  readonly retryAfterSeconds: number | null;
  /** The run in which no agent could answer, if there was one. */
  readonly run: Run | null;
  /** All members of the response. */
  readonly body: JsonObject;

  constructor(functionName: Name, status: number, body: JsonObject, retryAfterSeconds: number | null) {
    super(typeof body["message"] === "string" ? body["message"] : `The service responded with status ${status}`);
    this.functionName = functionName;
    this.status = status;
    this.code = (typeof body["code"] === "string" ? body["code"] : "INTERNAL_ERROR") as FunctionErrorCode<Name>;
    this.details = body["details"] ?? null;
    this.retryAfterSeconds = retryAfterSeconds;
    this.run = (body["run"] as unknown as Run | undefined) ?? null;
    this.body = body;
  }
}

/** Whether an error is the response of a function; with a name, of that one, whose codes `code` then has. */
export function isFunctionError<Name extends FunctionName>(error: unknown, name?: Name): error is FunctionError<Name> {
  return error instanceof FunctionError && (name === undefined || error.functionName === name);
}

/** The service could not be reached, or the connection was lost and could not be established again. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The run of a stream, once it is known. The run itself continues. */
  readonly runId: string | null;
  /** The last event that was received: `attach` continues after it. */
  readonly lastEventId: number;

  constructor(message: string, options: { cause?: unknown; runId?: string | null; lastEventId?: number } = {}) {
    super(message, { cause: options.cause });
    this.runId = options.runId ?? null;
    this.lastEventId = options.lastEventId ?? 0;
  }
}
