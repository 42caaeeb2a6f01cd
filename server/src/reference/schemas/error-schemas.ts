import { ERROR_CODES } from "@swarmbase/sdk";
import { AUTH_ERRORS } from "../../auth/index.ts";
import type { Schema } from "../openapi/document.ts";
import {
  answered,
  COUNT,
  describe,
  listOf,
  record,
  TEXT,
  TEXT_OR_NULL,
  TIME_OR_NULL,
  TRUTH,
  UUID,
} from "./schema-parts.ts";

const DETAILS: Schema = {
  description: "a message for each field, a text, or things to choose from",
  anyOf: [
    { type: "object", additionalProperties: { type: "string" } },
    { type: "array", items: { type: "object" } },
    { type: ["string", "null"] },
  ],
};

const FIELD_DETAILS: Schema = {
  type: "object",
  additionalProperties: { type: "string" },
  description: "field (dotted when nested) to message",
};

const FLAT = { error: describe(TEXT, "the code in words"), message: TEXT, details: DETAILS, hint: TEXT_OR_NULL };

/** Beside ours where the caller's key or token is the matter, and on everything under `/auth/v1`. */
const IN_THE_TONGUE_OF_ACCOUNTS = { error_code: { $ref: "#/components/schemas/AuthErrorCode" }, msg: TEXT };

export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  ErrorCode: {
    type: "string",
    enum: Object.keys(ERROR_CODES),
    description: "Decides the status. Closed: a code never gets another meaning.",
  },
  AuthErrorCode: {
    type: "string",
    enum: ["unknown", "unexpected_failure", ...Object.keys(AUTH_ERRORS)],
    description: "As clients of GoTrue test for it; also sent as `X-Sb-Error-Code`.",
  },
  Error: {
    ...answered({ ...FLAT, code: { $ref: "#/components/schemas/ErrorCode" } }, IN_THE_TONGUE_OF_ACCOUNTS),
    description: "Every error. Members without a value are null.",
  },
  ValidationError: {
    ...answered(
      {
        data: { type: "null" },
        error: record({ code: { type: "string", const: "VALIDATION_ERROR" }, message: TEXT, details: FIELD_DETAILS }),
        code: { type: "string", const: "VALIDATION_ERROR" },
        message: TEXT,
        details: FIELD_DETAILS,
        hint: TEXT_OR_NULL,
      },
      { errors: listOf(record({ field: TEXT, code: TEXT })), ...IN_THE_TONGUE_OF_ACCOUNTS },
    ),
    description: "All faults of a body together. The same is told twice, for readers of `error` and of the top level.",
  },
  RateLimitedError: {
    ...answered(
      {
        ...FLAT,
        code: { type: "string", const: "RATE_LIMITED" },
        retry_after: describe({ type: "integer", minimum: 1 }, "seconds; also sent as `Retry-After`"),
      },
      IN_THE_TONGUE_OF_ACCOUNTS,
    ),
    description: "A limit is used up. Nothing was done, and nothing else counted.",
  },
  AuthError: {
    ...record(
      { ...FLAT, code: TEXT, error_code: { $ref: "#/components/schemas/AuthErrorCode" }, msg: TEXT },
      { weak_password: record({ reasons: listOf(TEXT) }) },
    ),
    description:
      "Errors of accounts carry GoTrue's members too. On 401, 403, 429 and where no endpoint was reached `code` is one of ours, elsewhere GoTrue's.",
  },
  DeliveryFailedError: {
    ...answered({
      ...FLAT,
      code: { type: "string", const: "DELIVERY_FAILED" },
      success: { type: "boolean", const: false },
      status: { type: "string", const: "failed" },
      delivery_id: UUID,
      status_code: { type: ["integer", "null"] },
      response_time_ms: COUNT,
      response_body: TEXT_OR_NULL,
      attempts: COUNT,
    }),
    description: "A retry was made, and failed.",
  },
  RunFailedError: {
    ...answered(
      { ...FLAT, code: { $ref: "#/components/schemas/ErrorCode" } },
      { run: { $ref: "#/components/schemas/Run" } },
    ),
    description: "Nobody could answer; `run` is there where a run was made.",
  },
  Recovery: answered({
    id: UUID,
    webhook_id: UUID,
    since: { type: "string", format: "date-time" },
    until: { type: "string", format: "date-time" },
    status: { type: "string", enum: ["running", "completed"] },
    found: describe(COUNT, "failed deliveries when it began"),
    recovered: describe(COUNT, "of them, put back into the queue"),
    created_at: { type: "string", format: "date-time" },
    completed_at: TIME_OR_NULL,
  }),
  TestedDelivery: answered(
    {
      success: TRUTH,
      delivery_id: UUID,
      status_code: { type: ["integer", "null"], description: "null when there was no answer" },
      response_time_ms: COUNT,
      response_body: TEXT_OR_NULL,
    },
    {
      code: { type: "string", const: "DELIVERY_FAILED", description: "only when it failed" },
      error: describe(TEXT_OR_NULL, "in words, when there was no answer"),
    },
  ),
};
