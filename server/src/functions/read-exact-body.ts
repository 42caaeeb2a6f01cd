import { isUtf8 } from "node:buffer";
import { AppError } from "../errors/index.ts";
import { readExactJson } from "../json/index.ts";
import type { FunctionCall } from "./function-call.ts";

export const JSON_TYPE = "application/json";

/** The body of a function that parses it itself, because values are passed on and numbers must not be rounded. */
export function readExactBody({ body, headers }: FunctionCall): unknown {
  const type = headers["content-type"] ?? JSON_TYPE;
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "The Content-Type of the body is not one that is accepted");
  }
  if (!Buffer.isBuffer(body)) return {};
  const read = isUtf8(body) ? readExactJson(body.toString().replace(/^\ufeff/, "")) : { fault: "must be UTF-8" };
  if (read.fault === null) return read.value;
  throw new AppError("VALIDATION_ERROR", `The request body ${read.fault}`, { details: { body: read.fault } });
}
