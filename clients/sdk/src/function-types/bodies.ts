// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { AppEventType, EventType } from "../events.ts";

export interface AgentGrantsAcceptBody {
  action: "accept";
  /** a row of `agent_offers`, or a grant that you accepted */
  grant_id: string;
}

export interface AgentGrantsDeclineBody {
  action: "decline";
  /** a row of `agent_offers`, or a grant that you accepted */
  grant_id: string;
}

export type AgentGrantsBody = AgentGrantsAcceptBody | AgentGrantsDeclineBody;

export interface BatchBody {
  operations: readonly {
    method: "GET" | "HEAD" | "POST" | "PATCH" | "PUT" | "DELETE";
    /** the part after `/rest/v1`, including the query */
    path: string;
    /** `Prefer`, `Accept`, `Accept-Profile`, `Content-Profile`, `Range` */
    headers?: Record<string, string> | undefined;
    /** any JSON */
    body?: unknown;
  }[];
}

export interface SchedulesBody {
  action: "run_now";
  schedule_id: string;
}

export interface TriggersSetSecretBody {
  action: "set_secret";
  trigger_id: string;
  /** as the sender shows it */
  secret?: string | undefined;
}

export interface TriggersReplayBody {
  action: "replay";
  call_id: string;
}

export type TriggersBody = TriggersSetSecretBody | TriggersReplayBody;

export interface InvitationsCreateLinkBody {
  action: "create_link";
  /** an open invitation by e-mail address, of a swarm that you own or administrate */
  invitation_id: string;
}

export interface InvitationsFindBody {
  action: "find";
  /** the part of the link after `#secret=` */
  secret: string;
}

export interface InvitationsAcceptBody {
  action: "accept";
  /** the part of the link after `#secret=` */
  secret: string;
}

export interface InvitationsDeclineBody {
  action: "decline";
  /** the part of the link after `#secret=` */
  secret: string;
}

export type InvitationsBody =
  | InvitationsCreateLinkBody
  | InvitationsFindBody
  | InvitationsAcceptBody
  | InvitationsDeclineBody;

export interface ProviderKeysBody {
  /** the key */
  api_key: string;
  /** `openai`, `anthropic` or `google`; needed only where the key does not tell */
  vendor?: string | null | undefined;
}

export interface TestWebhookBody {
  webhook_id: string;
  event_type: EventType | AppEventType;
}

export interface EventsEmitBody {
  action: "emit";
  events: readonly {
    /** a row of `event_types` */
    type: AppEventType;
    /** of at most `EVENT_LIMIT_BYTES`, 256 KiB by default, and 64 levels */
    data: Record<string, unknown>;
    /** the webhooks of this user receive it */
    user_id?: string | null | undefined;
    /** the webhooks of the members receive it; without both, those with `receives_app_events` */
    swarm_id?: string | null | undefined;
  }[];
}

export interface EventsReadBody {
  action: "read";
  /** a row of `event_feeds` */
  feed_id: string;
  /** the cursor of an earlier response; without it, the events after the cursor of `consumer`, or all */
  after?: string | null | undefined;
  /** a name of your choice for whoever reads; a feed has at most 100 */
  consumer?: string | null | undefined;
  /** the most events to return; 4 MiB of them end a response earlier */
  limit?: number | undefined;
  /** how long to wait for an event if there is none; counts against `AGENT_STREAMS_PER_USER` */
  wait_seconds?: number | undefined;
}

export interface EventsCommitBody {
  action: "commit";
  /** a row of `event_feeds` */
  feed_id: string;
  /** a name of your choice for whoever reads; a feed has at most 100 */
  consumer: string;
  /** of a response; the consumer continues after it */
  cursor: string;
}

export type EventsBody = EventsEmitBody | EventsReadBody | EventsCommitBody;

export interface WebhooksRegenerateSecretBody {
  action: "regenerate_secret";
  webhook_id: string;
  /** default: a day */
  grace_period_seconds?: number | undefined;
}

export interface WebhooksRevokePreviousSecretsBody {
  action: "revoke_previous_secrets";
  webhook_id: string;
}

export interface WebhooksTestFilterBody {
  action: "test_filter";
  /** conditions as in the column `filter` of a webhook */
  filter: Record<string, unknown>;
  /** for the service role: whose events, or whose webhooks */
  user_id?: string | undefined;
}

export interface WebhooksPortalLinkBody {
  action: "portal_link";
  /** for the service role: whose events, or whose webhooks */
  user_id: string;
}

export type WebhooksBody =
  | WebhooksRegenerateSecretBody
  | WebhooksRevokePreviousSecretsBody
  | WebhooksTestFilterBody
  | WebhooksPortalLinkBody;

export interface WebhookDispatcherRetryBody {
  action: "retry";
  delivery_id: string;
}

export interface WebhookDispatcherSendNowBody {
  action: "send_now";
  delivery_id: string;
}

export interface WebhookDispatcherReplayBody {
  action: "replay";
  /** as in the envelope */
  event_id: string;
  /** with `replay`: send the event only to this webhook, even if it did not receive it before */
  webhook_id?: string | undefined;
}

export interface WebhookDispatcherRecoverSinceBody {
  action: "recover_since";
  /** with `replay`: send the event only to this webhook, even if it did not receive it before */
  webhook_id: string;
  /** a time in the past */
  since: string;
  /** the end of the period in which the deliveries were created; the default is now */
  until?: string | undefined;
}

export interface WebhookDispatcherRecoveryBody {
  action: "recovery";
  recovery_id: string;
}

export type WebhookDispatcherBody =
  | WebhookDispatcherRetryBody
  | WebhookDispatcherSendNowBody
  | WebhookDispatcherReplayBody
  | WebhookDispatcherRecoverSinceBody
  | WebhookDispatcherRecoveryBody;

export interface ApiKeysCreateBody {
  action: "create";
  /** a name for the key */
  name: string;
  /** exactly what the key may do; `read` without it */
  scopes?: readonly ApiKeyScope[] | undefined;
  resources?:
    | {
        agents?: readonly string[] | undefined;
        swarms?: readonly string[] | undefined;
      }
    | null
    | undefined;
  /** absent: in 90 days; null: the key does not expire, or expires as late as the service permits */
  expires_at?: string | null | undefined;
}

export interface ApiKeysRevokeBody {
  action: "revoke";
  /** the key to revoke; the service role can revoke the key of any user */
  id: string;
}

export type ApiKeysBody = ApiKeysCreateBody | ApiKeysRevokeBody;

export interface RequestSigningBody {
  action: "regenerate_secret" | "delete_secret";
  /** for the service role: the user whose secret it is */
  user_id?: string | undefined;
}
