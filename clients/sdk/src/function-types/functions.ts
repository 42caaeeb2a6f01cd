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
  PortalLink,
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
import type { FunctionCodes } from "./codes.ts";

/** The functions under `/functions/v1/`: body, successful responses, and codes of errors. */
export interface FunctionTable {
  "agent-grants": {
    body: AgentGrantsBody;
    answer: AcceptedGrant | DeclinedGrant;
    answersByAction: { accept: AcceptedGrant; decline: DeclinedGrant };
    code: FunctionCodes["agent-grants"];
  };
  "agent-respond": {
    body: AgentRespondBody;
    answer: Run;
    code: FunctionCodes["agent-respond"];
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
    code: FunctionCodes["tools"];
  };
  batch: {
    body: BatchBody;
    answer: BatchResults;
    code: FunctionCodes["batch"];
  };
  schedules: {
    body: SchedulesBody;
    answer: {
      run_id: string;
      swarm_id: string;
    };
    code: FunctionCodes["schedules"];
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
    code: FunctionCodes["triggers"];
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
    code: FunctionCodes["invitations"];
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
    code: FunctionCodes["provider-keys"];
  };
  "test-webhook": {
    body: TestWebhookBody;
    answer: TestedDelivery;
    code: FunctionCodes["test-webhook"];
  };
  events: {
    body: EventsBody;
    answer: EmittedEvents | FeedEvents | CommittedCursor;
    answersByAction: { emit: EmittedEvents; read: FeedEvents; commit: CommittedCursor };
    code: FunctionCodes["events"];
  };
  webhooks: {
    body: WebhooksBody;
    answer: ReplacedWebhookSecret | RevokedSecrets | TestedFilter | PortalLink;
    answersByAction: {
      regenerate_secret: ReplacedWebhookSecret;
      revoke_previous_secrets: RevokedSecrets;
      test_filter: TestedFilter;
      portal_link: PortalLink;
    };
    code: FunctionCodes["webhooks"];
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
    code: FunctionCodes["webhook-dispatcher"];
  };
  "api-keys": {
    body: ApiKeysBody;
    answer: RevokedApiKey | NewApiKey;
    answersByAction: { create: NewApiKey; revoke: RevokedApiKey };
    code: FunctionCodes["api-keys"];
  };
  "request-signing": {
    body: RequestSigningBody;
    answer: NewSigningSecret | DeletedSigningSecret;
    answersByAction: { regenerate_secret: NewSigningSecret; delete_secret: DeletedSigningSecret };
    code: FunctionCodes["request-signing"];
  };
}
