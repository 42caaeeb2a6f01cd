import { ERROR_CODES, type ErrorCode } from "@swarmbase/sdk";
import pg from "pg";
import { AppError } from "../errors/index.ts";
import { isRecord, readJson } from "../json/index.ts";

/** SQLSTATE of `private.reject_call`. */
const REJECTED = "SB400";

/** The rejection of a call by a function of the service, which names its code; null for any other error. */
export function readCallRejection(error: unknown): AppError | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== REJECTED) return null;
  const read = readJson(error.detail ?? "");
  const rejection = read.fault === null && isRecord(read.value) ? read.value : {};
  const { code, details } = rejection;
  if (!isErrorCode(code)) return null;
  const texts = Object.entries(isRecord(details) ? details : {}).filter(isNamedText);
  return new AppError(code, error.message, {
    ...(texts.length > 0 && { details: Object.fromEntries(texts) }),
    cause: error,
  });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(ERROR_CODES, code);
}

function isNamedText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}
