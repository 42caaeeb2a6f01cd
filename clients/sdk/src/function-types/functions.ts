// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { Run } from "./run-answers.ts";
import type {
  AcceptedGrant,
  AcceptedInvitation,
  BatchResults,
  DeclinedGrant,
  DeclinedInvitation,
  DeletedSigningSecret,
  FinishedAuthorization,
  FoundInvitation,
  ImportedTools,
  InvitationLink,
  ListedAuthorizations,
  NewApiKey,
  NewSigningSecret,
  Recovery,
  RemoteTools,
  ReplacedWebhookSecret,
  ReplayedDeliveries,
  RetriedDelivery,
  RevokedApiKey,
  RevokedAuthorization,
  RevokedSecrets,
  StartedAuthorization,
  TestedDelivery,
  TestedTool,
} from "./answers.ts";
import type { AgentRespondBody } from "./run-bodies.ts";
import type {
  AgentGrantsBody,
  ApiKeysBody,
  BatchBody,
  InvitationsBody,
  RequestSigningBody,
  TestWebhookBody,
  ToolsBody,
  WebhookDispatcherBody,
  WebhooksBody,
} from "./bodies.ts";

/** The functions under `/functions/v1/`: body, successful responses, and codes of errors. */
export interface FunctionTable {
  "agent-grants": {
    body: AgentGrantsBody;
    answer: AcceptedGrant | DeclinedGrant;
    answersByAction: {
      accept: AcceptedGrant;
      decline: DeclinedGrant;
    };
    code:
      | "FORBIDDEN"
      | "GRANT_NOT_FOUND"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR";
  };
  "agent-respond": {
    body: AgentRespondBody;
    answer: Run;
    code:
      | "AGENT_NOT_FOUND"
      | "APPROVAL_DECIDED"
      | "APPROVAL_EXPIRED"
      | "BUDGET_EXCEEDED"
      | "CLIENT_TOOL_EXPIRED"
      | "CONTENT_BLOCKED"
      | "FORBIDDEN"
      | "GUARDRAIL_BLOCKED"
      | "GUARDRAIL_FAILED"
      | "HEADERS_TOO_LARGE"
      | "IDEMPOTENCY_KEY_REUSED"
      | "INTERNAL_ERROR"
      | "INVALID_MODEL"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "NO_AGENTS"
      | "PAYLOAD_TOO_LARGE"
      | "PERMISSION_DENIED"
      | "PROVIDER_ERROR"
      | "PROVIDER_NOT_CONFIGURED"
      | "PROVIDER_TIMEOUT"
      | "RATE_LIMITED"
      | "RESPONSE_SCHEMA_MISMATCH"
      | "RUN_NOT_FOUND"
      | "SERVICE_UNAVAILABLE"
      | "SWARM_BUSY"
      | "SWARM_NOT_ACTIVE"
      | "SWARM_NOT_FOUND"
      | "TOOL_RESULT_SUBMITTED"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR";
  };
  tools: {
    body: ToolsBody;
    answer:
      | RemoteTools
      | ImportedTools
      | StartedAuthorization
      | FinishedAuthorization
      | ListedAuthorizations
      | RevokedAuthorization
      | TestedTool;
    answersByAction: {
      list: RemoteTools;
      import: ImportedTools;
      authorize: StartedAuthorization;
      finish_authorization: FinishedAuthorization;
      list_authorizations: ListedAuthorizations;
      revoke_authorization: RevokedAuthorization;
      test: TestedTool;
    };
    code:
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "INVALID_URL"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "TOOL_ERROR"
      | "TOOL_NOT_FOUND"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR";
  };
  batch: {
    body: BatchBody;
    answer: BatchResults;
    code:
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "RATE_LIMITED"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE";
  };
  invitations: {
    body: InvitationsBody;
    answer: InvitationLink | FoundInvitation | AcceptedInvitation | DeclinedInvitation;
    answersByAction: {
      create_link: InvitationLink;
      find: FoundInvitation;
      accept: AcceptedInvitation;
      decline: DeclinedInvitation;
    };
    code:
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "INVITATION_NOT_FOUND"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR";
  };
  "test-webhook": {
    body: TestWebhookBody;
    answer: TestedDelivery;
    code:
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "INVALID_EVENTS"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR"
      | "WEBHOOK_DISABLED"
      | "WEBHOOK_NOT_FOUND";
  };
  webhooks: {
    body: WebhooksBody;
    answer: ReplacedWebhookSecret | RevokedSecrets;
    answersByAction: {
      regenerate_secret: ReplacedWebhookSecret;
      revoke_previous_secrets: RevokedSecrets;
    };
    code:
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR"
      | "WEBHOOK_NOT_FOUND";
  };
  "webhook-dispatcher": {
    body: WebhookDispatcherBody;
    answer: RetriedDelivery | ReplayedDeliveries | Recovery;
    answersByAction: {
      retry: RetriedDelivery;
      send_now: RetriedDelivery;
      replay: ReplayedDeliveries;
      recover_since: Recovery;
      recovery: Recovery;
    };
    code:
      | "DELIVERY_FAILED"
      | "DELIVERY_NOT_FOUND"
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "NOT_FOUND"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR"
      | "WEBHOOK_DISABLED"
      | "WEBHOOK_NOT_FOUND";
  };
  "api-keys": {
    body: ApiKeysBody;
    answer: RevokedApiKey | NewApiKey;
    answersByAction: {
      create: NewApiKey;
      revoke: RevokedApiKey;
    };
    code:
      | "API_KEY_LIMIT_REACHED"
      | "API_KEY_NOT_FOUND"
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR"
      | "insufficient_aal"
      | "reauthentication_needed";
  };
  "request-signing": {
    body: RequestSigningBody;
    answer: NewSigningSecret | DeletedSigningSecret;
    answersByAction: {
      regenerate_secret: NewSigningSecret;
      delete_secret: DeletedSigningSecret;
    };
    code:
      | "FORBIDDEN"
      | "HEADERS_TOO_LARGE"
      | "INTERNAL_ERROR"
      | "MESSAGE_SIGNATURE_EXPIRED"
      | "MESSAGE_SIGNATURE_INVALID"
      | "MESSAGE_SIGNATURE_REPLAYED"
      | "MESSAGE_SIGNATURE_REQUIRED"
      | "PAYLOAD_TOO_LARGE"
      | "RATE_LIMITED"
      | "SERVICE_UNAVAILABLE"
      | "UNAUTHORIZED"
      | "UNSUPPORTED_MEDIA_TYPE"
      | "VALIDATION_ERROR"
      | "insufficient_aal"
      | "reauthentication_needed";
  };
}
