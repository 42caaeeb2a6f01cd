import assert from "node:assert/strict";
import type { Answer } from "./service.ts";

/** An error as plain HTTPS and the client library show it. */
export interface ApiError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
}

/** Codes of PostgREST and PostgreSQL, whose bodies have exactly these members. */
const FOREIGN_CODE = /^(?:PGRST\d{3}|[\dA-Z]{5})$/;
const FOREIGN_MEMBERS = ["code", "details", "hint", "message"];

export function apiErrorOf({ status, body, text }: Answer): ApiError {
  assert.ok(status >= 300, `${status} ${text}`);
  const { code, message, details } = body;
  assert.ok(typeof code === "string" && typeof message === "string" && message !== "", text);
  if (FOREIGN_CODE.test(code)) assert.deepEqual(Object.keys(body).sort(), FOREIGN_MEMBERS, text);
  else for (const member of ["error", ...FOREIGN_MEMBERS]) assert.ok(member in body, `${member}: ${text}`);
  return { status, code, message, details };
}

interface LibraryAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly error: { readonly code: string; readonly message: string; readonly details: unknown } | null;
}

export function libraryErrorOf({ status, data, error }: LibraryAnswer): ApiError {
  assert.equal(data, null);
  assert.ok(error !== null, "it was not refused");
  const { code, message, details } = error;
  return { status, code, message, details };
}

/** Checks the body of section 7.2, both its `error` member and the top level. */
export function assertValidationBody(answer: Answer, fields: readonly string[]): void {
  const { status, code, details } = apiErrorOf(answer);
  assert.deepEqual([status, code], [400, "VALIDATION_ERROR"], answer.text);
  assert.equal(answer.body["data"], null);
  const error = answer.body["error"] as Record<string, unknown>;
  assert.deepEqual(
    [error["code"], error["message"], error["details"]],
    [code, answer.body["message"], details],
    answer.text,
  );
  assertFields(details, fields);
}

/** The named fields, each with a message. */
export function assertFields(details: unknown, fields: readonly string[]): void {
  const found = details as Record<string, unknown>;
  assert.deepEqual(Object.keys(found).toSorted(), fields.toSorted(), JSON.stringify(details));
  for (const message of Object.values(found)) assert.ok(typeof message === "string" && message !== "");
}
