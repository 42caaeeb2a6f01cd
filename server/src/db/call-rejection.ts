import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";
import pg from "pg";
import { AppError } from "../errors/index.ts";
import { isRecord, readJson } from "../json/index.ts";

/** SQLSTATE of `private.reject_call`. */
const REJECTED = "SB400";

/** The rejection of a call by a function of the service, which names its code; null for any other error. */
export function readCallRejection(error: unknown): AppError | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== REJECTED) return null;
  return toCallRejection(error.message, error.detail ?? "", error);
}

/** The same, where the function returned it. Null means that the detail names no code. */
export function toCallRejection(message: string, detail: string, cause?: unknown): AppError | null {
  const read = readJson(detail);
  const rejection = read.fault === null && isRecord(read.value) ? read.value : {};
  const { code, details } = rejection;
  if (!isErrorCode(code)) return null;
  const texts = Object.entries(isRecord(details) ? details : {}).filter(isNamedText);
  return new AppError(code, message, { ...(texts.length > 0 && { details: Object.fromEntries(texts) }), cause });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
}

function isNamedText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}
