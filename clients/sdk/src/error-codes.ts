/** One row of the table: the code alone determines the status, and no other place repeats it. */
export interface ErrorCodeRow {
  readonly status: number;
  /** Short text of the `error` member. */
  readonly error: string;
  /** One line for the reference page. */
  readonly meaning: string;
}

export const ERROR_CODES = {
  BAD_REQUEST: { status: 400, error: "Bad request", meaning: "The bytes received are not a well-formed HTTP request." },
  VALIDATION_ERROR: {
    status: 400,
    error: "Validation failed",
    meaning: "One or more fields are missing, of the wrong type or out of bounds; `details` has a message per field.",
  },
  INVALID_FRAMEWORK: { status: 400, error: "Invalid framework", meaning: "The AI provider is unknown." },
  INVALID_MODEL: {
    status: 400,
    error: "Invalid model",
    meaning: "The model is not available for the agent's framework.",
  },
  INVALID_URL: {
    status: 400,
    error: "Invalid URL",
    meaning: "The URL of a webhook, tool or MCP server is not a valid, permitted HTTPS URL.",
  },
  INVALID_EVENTS: {
    status: 400,
    error: "Invalid events",
    meaning: "An unknown event type is named, or one that is not listed.",
  },
  QUERY_TOO_COMPLEX: {
    status: 400,
    error: "Query too complex",
    meaning:
      "The query embeds more, or more deeply nested, tables than the service allows, or repeats too many columns.",
  },
  CONTEXT_LENGTH_EXCEEDED: {
    status: 400,
    error: "Context length exceeded",
    meaning: "The newest message alone is longer than the model of the agent can read.",
  },
  NO_AGENTS: { status: 400, error: "No agents", meaning: "The swarm has no enabled agent that could answer." },
  GUARDRAIL_BLOCKED: {
    status: 400,
    error: "Guardrail blocked",
    meaning: "A guardrail of the agent or the swarm blocked the message or the answer.",
  },
  CONTENT_BLOCKED: { status: 400, error: "Content blocked", meaning: "A content rule rejected the message." },
  UNAUTHORIZED: {
    status: 401,
    error: "Unauthorized",
    meaning: "The apikey, the access token or the request signature is missing, expired or not valid.",
  },
  MESSAGE_SIGNATURE_REQUIRED: {
    status: 401,
    error: "Unauthorized",
    meaning: "The user requires HTTP message signatures, and the request has none.",
  },
  MESSAGE_SIGNATURE_INVALID: {
    status: 401,
    error: "Unauthorized",
    meaning: "The HTTP message signature is malformed, does not cover what it must, or is wrong; `details` says which.",
  },
  MESSAGE_SIGNATURE_EXPIRED: {
    status: 401,
    error: "Unauthorized",
    meaning: "`created` of the HTTP message signature is more than 300 s from the current time, or `expires` is over.",
  },
  MESSAGE_SIGNATURE_REPLAYED: {
    status: 401,
    error: "Unauthorized",
    meaning: "The nonce of the HTTP message signature was used before.",
  },
  FORBIDDEN: {
    status: 403,
    error: "Forbidden",
    meaning: "A row-level rule or the caller's role does not permit the call; the message says which.",
  },
  PERMISSION_DENIED: {
    status: 403,
    error: "Permission denied",
    meaning: "The agent exists, but the caller cannot access it.",
  },
  AGENT_LIMIT_REACHED: {
    status: 403,
    error: "Agent limit reached",
    meaning: "The user already has the maximum number of agents.",
  },
  API_KEY_LIMIT_REACHED: {
    status: 403,
    error: "API key limit reached",
    meaning: "The user already has the maximum number of API keys.",
  },
  API_KEY_NOT_ALLOWED: {
    status: 403,
    error: "API key not allowed",
    meaning:
      "An API key, or a program, cannot make this call, for example because it changes keys, credentials or security settings.",
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    error: "Insufficient scope",
    meaning: "The API key, or the token of the program, lacks the scope that the call needs; the message names it.",
  },
  WEBHOOK_DISABLED: { status: 403, error: "Webhook disabled", meaning: "The webhook is disabled (`is_active` false)." },
  BUDGET_EXCEEDED: {
    status: 403,
    error: "Budget exceeded",
    meaning: "The token or cost budget that applies to the run is used up.",
  },
  NOT_FOUND: { status: 404, error: "Not found", meaning: "No route matches this path." },
  FUNCTION_NOT_FOUND: {
    status: 404,
    error: "Function not found",
    meaning: "There is no function of this name under `/functions/v1/`.",
  },
  AGENT_NOT_FOUND: { status: 404, error: "Agent not found", meaning: "The agent does not exist." },
  API_KEY_NOT_FOUND: { status: 404, error: "API key not found", meaning: "The API key does not exist." },
  WEBHOOK_NOT_FOUND: { status: 404, error: "Webhook not found", meaning: "The webhook does not exist." },
  DELIVERY_NOT_FOUND: { status: 404, error: "Delivery not found", meaning: "The webhook delivery does not exist." },
  SWARM_NOT_FOUND: {
    status: 404,
    error: "Swarm not found",
    meaning: "The swarm does not exist. One that exists and that the caller is not in is `FORBIDDEN`.",
  },
  INVITATION_NOT_FOUND: {
    status: 404,
    error: "Invitation not found",
    meaning: "No open invitation has this id or secret, or it is for another address.",
  },
  GRANT_NOT_FOUND: {
    status: 404,
    error: "Grant not found",
    meaning: "No grant of this id names the caller, or it has expired.",
  },
  MESSAGE_NOT_FOUND: { status: 404, error: "Message not found", meaning: "The message does not exist." },
  TOOL_NOT_FOUND: {
    status: 404,
    error: "Tool not found",
    meaning: "The tool does not exist or the caller may not use it.",
  },
  RUN_NOT_FOUND: { status: 404, error: "Run not found", meaning: "The run does not exist." },
  METHOD_NOT_ALLOWED: {
    status: 405,
    error: "Method not allowed",
    meaning: "The path does not support this method; `Allow` lists the supported ones.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    error: "Request timeout",
    meaning: "The request did not arrive completely within the time allowed.",
  },
  SWARM_BUSY: {
    status: 409,
    error: "Swarm busy",
    meaning: "The swarm has a run in progress and the call asked not to queue.",
  },
  SWARM_NOT_ACTIVE: {
    status: 409,
    error: "Swarm not active",
    meaning: "The swarm is paused, completed or archived.",
  },
  APPROVAL_DECIDED: {
    status: 409,
    error: "Approval decided",
    meaning: "The tool call does not wait for a decision: one was made before, or its run has ended.",
  },
  APPROVAL_EXPIRED: {
    status: 409,
    error: "Approval expired",
    meaning: "The tool call waited too long for a decision and is denied.",
  },
  TOOL_RESULT_SUBMITTED: {
    status: 409,
    error: "Tool result submitted",
    meaning: "The tool call does not wait for a result of the client: one was submitted before, or its run has ended.",
  },
  CLIENT_TOOL_EXPIRED: {
    status: 409,
    error: "Client tool expired",
    meaning: "The tool call waited too long for the result of the client.",
  },
  RUN_ENDED: { status: 409, error: "Run ended", meaning: "The run has ended, so no call of it waits for a signal." },
  SIGNAL_LIMIT_REACHED: {
    status: 409,
    error: "Signal limit reached",
    meaning: "The run keeps 100 signals for which no call has waited yet.",
  },
  ROW_CHANGED: {
    status: 409,
    error: "Row changed",
    meaning: "The row no longer has the values from which an operator made the change.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    error: "Payload too large",
    meaning: "The body is larger than `BODY_LIMIT_BYTES`, or an event of the app larger than `EVENT_LIMIT_BYTES`.",
  },
  RESPONSE_TOO_LARGE: {
    status: 413,
    error: "Response too large",
    meaning:
      "The response would be larger than `DB_RESPONSE_LIMIT_BYTES`, or than 64 KiB for a request with an `Idempotency-Key`; a write was rolled back.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    error: "Unsupported media type",
    meaning: "The body's `Content-Type` or `Content-Encoding` is not supported.",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    error: "Idempotency key reused",
    meaning: "The `Idempotency-Key` was used before with a different request.",
  },
  HTTPS_REQUIRED: { status: 426, error: "HTTPS required", meaning: "The request came over plain HTTP." },
  RATE_LIMITED: {
    status: 429,
    error: "Too many requests",
    meaning: "A rate limit is used up; wait `Retry-After` seconds.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    error: "Request header fields too large",
    meaning: "The request line and headers are together larger than 256 KiB.",
  },
  INTERNAL_ERROR: {
    status: 500,
    error: "Internal server error",
    meaning: "An error of the server; its log has the details.",
  },
  DELIVERY_FAILED: {
    status: 502,
    error: "Delivery failed",
    meaning: "The webhook's endpoint answered with an error or could not be reached.",
  },
  TOOL_ERROR: {
    status: 502,
    error: "Tool error",
    meaning: "The server of a tool did not respond, or sent an invalid response.",
  },
  FUNCTION_FAILED: {
    status: 502,
    error: "Function failed",
    meaning: "The operator's server for the function could not be reached, or sent an invalid response.",
  },
  RESPONSE_SCHEMA_MISMATCH: {
    status: 502,
    error: "Response schema mismatch",
    meaning:
      "The model's answer does not satisfy the `response_schema`, and neither does its second answer, for which it got the reason.",
  },
  GUARDRAIL_FAILED: {
    status: 502,
    error: "Guardrail failed",
    meaning:
      "A guardrail could not be checked: its model or its webhook did not answer, or the text is too long for it.",
  },
  LOOP_DETECTED: {
    status: 502,
    error: "Loop detected",
    meaning: "The agents handed over to each other in a loop, or a model only repeated a tool call; no agent answered.",
  },
  MAX_TOKENS_REACHED: {
    status: 502,
    error: "Max tokens reached",
    meaning: "The model used up `max_tokens` of the agent before it wrote any text.",
  },
  PROVIDER_ERROR: { status: 502, error: "Provider error", meaning: "The AI provider answered with an error." },
  SERVICE_UNAVAILABLE: {
    status: 503,
    error: "Service unavailable",
    meaning: "The server is overloaded or cannot reach its database; try again after `Retry-After` seconds.",
  },
  PROVIDER_NOT_CONFIGURED: {
    status: 503,
    error: "Provider not configured",
    meaning: "The operator has not configured the AI provider of the agent's framework.",
  },
  FUNCTION_TIMEOUT: {
    status: 504,
    error: "Function timeout",
    meaning: "The operator's server for the function did not respond in time.",
  },
  PROVIDER_TIMEOUT: { status: 504, error: "Provider timeout", meaning: "The AI provider did not answer in time." },
} as const satisfies Record<string, ErrorCodeRow>;

export type ErrorCode = keyof typeof ERROR_CODES;
