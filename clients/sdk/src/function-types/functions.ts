// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { Framework } from "../agents.ts";
import type {
  FinishedAuthorization,
  ImportedTools,
  ListedAuthorizations,
  RemoteTools,
  RevokedAuthorization,
  Run,
  StartedAuthorization,
  TestedTool,
} from "./run-answers.ts";
import type {
  AcceptedGrant,
  AcceptedInvitation,
  BatchResults,
  CommittedCursor,
  DeclinedGrant,
  DeclinedInvitation,
  DeletedSigningSecret,
  EmittedEvents,
  FeedEvents,
  FoundInvitation,
  InvitationLink,
  NewApiKey,
  NewSigningSecret,
  Recovery,
  ReplacedWebhookSecret,
  ReplayedDeliveries,
  RetriedDelivery,
  RevokedApiKey,
  RevokedSecrets,
  TestedDelivery,
  TestedFilter,
} from "./answers.ts";
import type { AgentRespondBody } from "./run-bodies.ts";
import type { ToolsBody } from "./tool-bodies.ts";
import type {
  AgentGrantsBody,
  ApiKeysBody,
  BatchBody,
  EventsBody,
  InvitationsBody,
  ProviderKeysBody,
  RequestSigningBody,
  SchedulesBody,
  TestWebhookBody,
  TriggersBody,
  WebhookDispatcherBody,
  WebhooksBody,
} from "./bodies.ts";

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

/** The functions under `/functions/v1/`: body, successful responses, and codes of errors. */
export interface FunctionTable {
  "agent-grants": {
    body: AgentGrantsBody;
    answer: AcceptedGrant | DeclinedGrant;
    answersByAction: { accept: AcceptedGrant; decline: DeclinedGrant };
    code:
      | CommonCode
      | "FORBIDDEN"
      | "GRANT_NOT_FOUND"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "VALIDATION_ERROR";
  };
  "agent-respond": {
    body: AgentRespondBody;
    answer: Run;
    code:
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
      | CommonCode
      | "FORBIDDEN"
      | "INVALID_URL"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "TOOL_ERROR"
      | "TOOL_NOT_FOUND"
      | "VALIDATION_ERROR";
  };
  batch: {
    body: BatchBody;
    answer: BatchResults;
    code: CommonCode;
  };
  schedules: {
    body: SchedulesBody;
    answer: {
      run_id: string;
      swarm_id: string;
    };
    code:
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
  };
  triggers: {
    body: TriggersBody;
    answer:
      | {
          trigger_id: string;
          /** one that was made for this call */
          secret?: string;
        }
      | {
          call_id: string;
          run_id: string;
          swarm_id: string;
        };
    answersByAction: {
      set_secret: {
        trigger_id: string;
        /** one that was made for this call */
        secret?: string;
      };
      replay: {
        call_id: string;
        run_id: string;
        swarm_id: string;
      };
    };
    code:
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
      | CommonCode
      | "FORBIDDEN"
      | "INVITATION_NOT_FOUND"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "VALIDATION_ERROR";
  };
  "provider-keys": {
    body: ProviderKeysBody;
    answer: {
      framework: Framework;
      name: string;
      is_stored: boolean;
      test: {
        is_ok: boolean;
        message: string | null;
        model: string | null;
        duration_ms: number;
      };
    };
    code: CommonCode | "FORBIDDEN" | "PAYLOAD_TOO_LARGE" | "SERVICE_UNAVAILABLE" | "VALIDATION_ERROR";
  };
  "test-webhook": {
    body: TestWebhookBody;
    answer: TestedDelivery;
    code:
      | CommonCode
      | "FORBIDDEN"
      | "INVALID_EVENTS"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "VALIDATION_ERROR"
      | "WEBHOOK_DISABLED"
      | "WEBHOOK_NOT_FOUND";
  };
  events: {
    body: EventsBody;
    answer: EmittedEvents | FeedEvents | CommittedCursor;
    answersByAction: { emit: EmittedEvents; read: FeedEvents; commit: CommittedCursor };
    code:
      | CommonCode
      | "FORBIDDEN"
      | "IDEMPOTENCY_KEY_REUSED"
      | "INSUFFICIENT_SCOPE"
      | "INVALID_EVENTS"
      | "NOT_FOUND"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "VALIDATION_ERROR";
  };
  webhooks: {
    body: WebhooksBody;
    answer: ReplacedWebhookSecret | RevokedSecrets | TestedFilter;
    answersByAction: {
      regenerate_secret: ReplacedWebhookSecret;
      revoke_previous_secrets: RevokedSecrets;
      test_filter: TestedFilter;
    };
    code:
      | CommonCode
      | "FORBIDDEN"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
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
  };
  "api-keys": {
    body: ApiKeysBody;
    answer: RevokedApiKey | NewApiKey;
    answersByAction: { create: NewApiKey; revoke: RevokedApiKey };
    code:
      | CommonCode
      | "API_KEY_LIMIT_REACHED"
      | "API_KEY_NOT_FOUND"
      | "FORBIDDEN"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "VALIDATION_ERROR"
      | "insufficient_aal"
      | "reauthentication_needed";
  };
  "request-signing": {
    body: RequestSigningBody;
    answer: NewSigningSecret | DeletedSigningSecret;
    answersByAction: { regenerate_secret: NewSigningSecret; delete_secret: DeletedSigningSecret };
    code:
      | CommonCode
      | "FORBIDDEN"
      | "PAYLOAD_TOO_LARGE"
      | "SERVICE_UNAVAILABLE"
      | "VALIDATION_ERROR"
      | "insufficient_aal"
      | "reauthentication_needed";
  };
}
