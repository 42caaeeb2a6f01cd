// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
/** The codes of errors that every function can answer with. */
type CommonCode =
  | "HEADERS_TOO_LARGE"
  | "INTERNAL_ERROR"
  | "MESSAGE_SIGNATURE_EXPIRED"
  | "MESSAGE_SIGNATURE_INVALID"
  | "MESSAGE_SIGNATURE_REPLAYED"
  | "MESSAGE_SIGNATURE_REQUIRED"
  | "RATE_LIMITED"
  | "UNAUTHORIZED"
  | "UNSUPPORTED_MEDIA_TYPE";

/** The codes of errors of each function. */
export interface FunctionCodes {
  "agent-grants":
    | CommonCode
    | "FORBIDDEN"
    | "GRANT_NOT_FOUND"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR";
  "agent-respond":
    | CommonCode
    | "AGENT_NOT_FOUND"
    | "APPROVAL_DECIDED"
    | "APPROVAL_EXPIRED"
    | "BUDGET_EXCEEDED"
    | "CLIENT_TOOL_EXPIRED"
    | "CONTENT_BLOCKED"
    | "FORBIDDEN"
    | "GUARDRAIL_BLOCKED"
    | "GUARDRAIL_FAILED"
    | "IDEMPOTENCY_KEY_REUSED"
    | "INVALID_MODEL"
    | "NO_AGENTS"
    | "PAYLOAD_TOO_LARGE"
    | "PERMISSION_DENIED"
    | "PROVIDER_ERROR"
    | "PROVIDER_NOT_CONFIGURED"
    | "PROVIDER_TIMEOUT"
    | "RESPONSE_SCHEMA_MISMATCH"
    | "RUN_ENDED"
    | "RUN_NOT_FOUND"
    | "SERVICE_UNAVAILABLE"
    | "SIGNAL_LIMIT_REACHED"
    | "SWARM_BUSY"
    | "SWARM_NOT_ACTIVE"
    | "SWARM_NOT_FOUND"
    | "TOOL_RESULT_SUBMITTED"
    | "VALIDATION_ERROR";
  tools:
    | CommonCode
    | "FORBIDDEN"
    | "INVALID_URL"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "TOOL_ERROR"
    | "TOOL_NOT_FOUND"
    | "VALIDATION_ERROR";
  batch: CommonCode;
  schedules:
    | CommonCode
    | "BUDGET_EXCEEDED"
    | "FORBIDDEN"
    | "NOT_FOUND"
    | "NO_AGENTS"
    | "PAYLOAD_TOO_LARGE"
    | "PERMISSION_DENIED"
    | "SERVICE_UNAVAILABLE"
    | "SWARM_BUSY"
    | "VALIDATION_ERROR";
  triggers:
    | CommonCode
    | "BUDGET_EXCEEDED"
    | "FORBIDDEN"
    | "INSUFFICIENT_SCOPE"
    | "NOT_FOUND"
    | "NO_AGENTS"
    | "PAYLOAD_TOO_LARGE"
    | "PERMISSION_DENIED"
    | "SERVICE_UNAVAILABLE"
    | "SWARM_BUSY"
    | "VALIDATION_ERROR";
  invitations:
    | CommonCode
    | "FORBIDDEN"
    | "INVITATION_NOT_FOUND"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR";
  "provider-keys": CommonCode | "FORBIDDEN" | "PAYLOAD_TOO_LARGE" | "SERVICE_UNAVAILABLE" | "VALIDATION_ERROR";
  "test-webhook":
    | CommonCode
    | "FORBIDDEN"
    | "INVALID_EVENTS"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR"
    | "WEBHOOK_DISABLED"
    | "WEBHOOK_NOT_FOUND";
  events:
    | CommonCode
    | "FORBIDDEN"
    | "IDEMPOTENCY_KEY_REUSED"
    | "INSUFFICIENT_SCOPE"
    | "INVALID_EVENTS"
    | "NOT_FOUND"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR";
  webhooks:
    | CommonCode
    | "FORBIDDEN"
    | "NOT_FOUND"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR"
    | "WEBHOOK_NOT_FOUND";
  "webhook-dispatcher":
    | CommonCode
    | "DELIVERY_FAILED"
    | "DELIVERY_NOT_FOUND"
    | "FORBIDDEN"
    | "NOT_FOUND"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR"
    | "WEBHOOK_DISABLED"
    | "WEBHOOK_NOT_FOUND";
  "api-keys":
    | CommonCode
    | "API_KEY_LIMIT_REACHED"
    | "API_KEY_NOT_FOUND"
    | "FORBIDDEN"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR"
    | "insufficient_aal"
    | "reauthentication_needed";
  "request-signing":
    | CommonCode
    | "FORBIDDEN"
    | "PAYLOAD_TOO_LARGE"
    | "SERVICE_UNAVAILABLE"
    | "VALIDATION_ERROR"
    | "insufficient_aal"
    | "reauthentication_needed";
}
