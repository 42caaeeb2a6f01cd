import { API_KEY_SCOPES, ERROR_CODES } from "@swarmbase/sdk";
import type { InterfaceDescription } from "swarmbase/extension";
import type { Schema } from "../openapi/document.ts";
import {
  answered,
  COUNT,
  describe,
  listOf,
  record,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  TIME_OR_NULL,
  TRUTH,
  UUID,
} from "./schema-parts.ts";

const DETAILS: Schema = {
  description: "a message for each field, a text, or a list of candidates",
  anyOf: [
    { type: "object", additionalProperties: { type: "string" } },
    { type: "array", items: { type: "object" } },
    { type: ["string", "null"] },
  ],
};

const FIELD_DETAILS: Schema = {
  type: "object",
  additionalProperties: { type: "string" },
  description: "maps each field (dotted if nested) to a message",
};

const FLAT = { error: describe(TEXT, "the code in words"), message: TEXT, details: DETAILS, hint: TEXT_OR_NULL };

/** Members of GoTrue's errors: on 401 responses, and on every response under `/auth/v1`. */
const GOTRUE_MEMBERS = { error_code: { $ref: "#/components/schemas/AuthErrorCode" }, msg: TEXT };

/** The member that an error of the function `batch` has. */
const OF_BATCH = { operation: describe(COUNT, "in a batch: the index of the operation that failed") };

/** Schemas of errors, and of responses that report a failed delivery. */
export function errorSchemas(authErrors: InterfaceDescription["authErrors"]): Readonly<Record<string, Schema>> {
  const { ErrorCode, ...others } = SCHEMAS;
  return {
    ErrorCode,
    AuthErrorCode: {
      type: "string",
      enum: ["unknown", ...Object.keys(authErrors)],
      description:
        "The error code of GoTrue, for its clients; also sent as `X-Sb-Error-Code`. If GoTrue has no code for an error, it is the code of the service in lower case.",
    },
    ...others,
  };
}

const SCHEMAS = {
  ErrorCode: {
    type: "string",
    enum: Object.keys(ERROR_CODES),
    description: "Determines the status. The meaning of a code never changes.",
  },
  Error: {
    ...answered({ ...FLAT, code: { $ref: "#/components/schemas/ErrorCode" } }, GOTRUE_MEMBERS),
    description: "The body of every error. Members without a value are null.",
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
      { errors: listOf(record({ field: TEXT, code: TEXT })), ...OF_BATCH, ...GOTRUE_MEMBERS },
    ),
    description:
      "All errors of a body together, in `error` and again at the top level, for clients that read one of them.",
  },
  TableError: {
    ...record({ code: TEXT, message: TEXT, details: DETAILS, hint: TEXT_OR_NULL }, { error: FLAT.error }),
    description:
      "Errors of tables. `code` is one of `ErrorCode`, of PostgREST (`PGRST116`) or of PostgreSQL (`23505`, an SQLSTATE). Only those of `ErrorCode` have `error`.",
  },
  BatchError: {
    ...answered({ ...FLAT, code: TEXT }, OF_BATCH),
    description: "The error of the operation that failed. `code` is that of `TableError`.",
  },
  RateLimitedError: {
    ...answered(
      {
        ...FLAT,
        code: { type: "string", const: "RATE_LIMITED" },
        retry_after: describe({ type: "integer", minimum: 1 }, "seconds; also sent as `Retry-After`"),
      },
      GOTRUE_MEMBERS,
    ),
    description: "A rate limit is reached. The call had no effect, and no other limit counted it.",
  },
  AuthError: {
    ...record(
      { ...FLAT, code: TEXT, error_code: { $ref: "#/components/schemas/AuthErrorCode" }, msg: TEXT },
      { weak_password: record({ reasons: listOf(TEXT) }) },
    ),
    description:
      "Errors of accounts also have the members of GoTrue. For 401, 403, 429 and unknown paths, `code` is a code of the service; otherwise it is a code of GoTrue.",
  },
  DeliveryFailedError: {
    ...answered({
      ...FLAT,
      code: { type: "string", const: "DELIVERY_FAILED" },
      success: { type: "boolean", const: false },
      status: { type: "string", enum: ["failed", "retrying"], description: "`retrying` only after `send_now`" },
      delivery_id: UUID,
      status_code: { type: ["integer", "null"] },
      response_time_ms: COUNT,
      response_body: TEXT_OR_NULL,
      attempts: COUNT,
    }),
    description: "A retry failed.",
  },
  RunFailedError: {
    ...answered(
      { ...FLAT, code: { $ref: "#/components/schemas/ErrorCode" } },
      { run: { $ref: "#/components/schemas/Run" } },
    ),
    description: "No agent could answer; `run` is present if a run was started.",
  },
  EmittedEvents: answered({ ids: listOf(TEXT) }),
  ReplacedWebhookSecret: answered({ new_secret: TEXT, previous_secret_expires_at: TIME_OR_NULL }),
  RevokedSecrets: answered({ revoked: describe(COUNT, "the number of replaced secrets that still signed") }),
  FeedEvents: answered({
    events: describe(
      listOf(record({ id: TEXT, type: TEXT, created_at: TEXT, api_version: TEXT, data: { type: "object" } })),
      "envelopes, with the bytes of a delivery",
    ),
    cursor: describe(TEXT, "for `after` of the next call"),
    lost: describe(COUNT, "events after the given cursor that were removed by their age"),
  }),
  CommittedCursor: answered({ committed: TEXT }),
  TestedFilter: answered({
    events: listOf(
      record({
        event_id: TEXT,
        type: TEXT,
        created_at: TEXT,
        passes: describe({ type: "boolean" }, "whether the event meets the conditions"),
      }),
    ),
  }),
  PortalLink: answered({
    url: describe(TEXT, "the page, with the token in its fragment"),
    expires_at: TIME,
  }),
  NewApiKey: answered({
    key: describe(TEXT, "the key itself, which is not shown again"),
    api_key: record({
      id: UUID,
      user_id: UUID,
      name: TEXT,
      scopes: listOf({ type: "string", enum: [...API_KEY_SCOPES] }),
      resources: { anyOf: [record({ agents: listOf(UUID), swarms: listOf(UUID) }), { type: "null" }] },
      prefix: TEXT,
      expires_at: TIME_OR_NULL,
      last_used_at: TIME_OR_NULL,
      created_at: TIME,
    }),
  }),
  RevokedApiKey: answered({ revoked: { type: "boolean", const: true } }),
  InvitationLink: answered({ link: TEXT, secret: TEXT, expires_at: TIME_OR_NULL }),
  FoundInvitation: answered({
    invitation: record({
      id: UUID,
      swarm_id: UUID,
      swarm_name: TEXT,
      role: TEXT,
      inviter_name: TEXT_OR_NULL,
      created_at: TIME,
      expires_at: TIME_OR_NULL,
    }),
  }),
  AcceptedGrant: answered({ accepted: { type: "boolean", const: true }, grant_id: UUID, agent_id: UUID }),
  DeclinedGrant: answered({ declined: { type: "boolean", const: true }, grant_id: UUID, agent_id: UUID }),
  AcceptedInvitation: answered({ accepted: { type: "boolean", const: true }, swarm_id: UUID }),
  DeclinedInvitation: answered({ declined: { type: "boolean", const: true }, swarm_id: UUID }),
  NewSigningSecret: answered({ new_secret: TEXT }),
  DeletedSigningSecret: answered({ deleted: { type: "boolean", const: true } }),
  RetriedDelivery: answered({
    success: { type: "boolean", const: true },
    status: { type: "string", const: "delivered" },
    delivery_id: UUID,
    status_code: { type: "integer" },
    response_time_ms: COUNT,
    response_body: TEXT_OR_NULL,
    attempts: COUNT,
  }),
  ReplayedDeliveries: answered({ deliveries: listOf(record({ delivery_id: UUID, webhook_id: UUID })) }),
  Recovery: answered({
    id: UUID,
    webhook_id: UUID,
    since: { type: "string", format: "date-time" },
    until: { type: "string", format: "date-time" },
    status: { type: "string", enum: ["running", "completed"] },
    found: describe(COUNT, "number of failed deliveries when the recovery began"),
    recovered: describe(COUNT, "number of these that were queued again"),
    created_at: { type: "string", format: "date-time" },
    completed_at: TIME_OR_NULL,
  }),
  TestedDelivery: answered(
    {
      success: TRUTH,
      delivery_id: UUID,
      status_code: { type: ["integer", "null"], description: "null without a response" },
      response_time_ms: COUNT,
      response_body: TEXT_OR_NULL,
    },
    {
      code: { type: "string", const: "DELIVERY_FAILED", description: "only when it failed" },
      error: describe(TEXT_OR_NULL, "the reason, if there was no response"),
    },
  ),
} satisfies Readonly<Record<string, Schema>>;
