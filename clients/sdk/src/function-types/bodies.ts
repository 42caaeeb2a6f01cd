// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { EventType } from "../events.ts";
import type { GrantParty } from "../grants.ts";
import type { ToolVisibility } from "../tools.ts";

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

export interface ToolsListBody {
  /** the address of the MCP server */
  url?: string | undefined;
  server?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** how the secret is sent; if absent, the only secret is a bearer token */
  auth?:
    | {
        type: "bearer";
        secret: string;
      }
    | {
        type: "basic";
        username: string;
        secret: string;
      }
    | {
        type: "header";
        header: string;
        secret: string;
      }
    | {
        type: "oauth";
        /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
        account?: GrantParty | undefined;
      }
    | undefined;
  /** name to value, at most 20 */
  secrets?: Record<string, string> | undefined;
  action: "list";
  /** with `list`: use the server of this tool */
  tool_id?: string | undefined;
}

export interface ToolsImportBody {
  /** the address of the MCP server */
  url?: string | undefined;
  server?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** how the secret is sent; if absent, the only secret is a bearer token */
  auth?:
    | {
        type: "bearer";
        secret: string;
      }
    | {
        type: "basic";
        username: string;
        secret: string;
      }
    | {
        type: "header";
        header: string;
        secret: string;
      }
    | {
        type: "oauth";
        /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
        account?: GrantParty | undefined;
      }
    | undefined;
  /** name to value, at most 20 */
  secrets?: Record<string, string> | undefined;
  action: "import";
  /** the names of the tools on the server */
  names: readonly string[];
  /** only the service role can use `public` */
  visibility?: ToolVisibility | undefined;
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsAuthorizeBody {
  action: "authorize";
  /** the address of the MCP server */
  url?: string | undefined;
  /** with `authorize`, in place of `url`: a call that waits until the caller connects an account */
  tool_execution_id?: string | undefined;
  /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
  account?: GrantParty | undefined;
  /** the OAuth scope to request; if absent, the scope that the server names */
  scope?: string | undefined;
  /** a client that you have registered; if absent, the service registers itself */
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** the address to which the browser returns; below `SITE_URL`, or in `REDIRECT_ALLOW_LIST` */
  redirect_to?: string | undefined;
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsFinishAuthorizationBody {
  action: "finish_authorization";
  /** from the fragment of the address to which the browser returned, like `code` and `iss` */
  state: string;
  code: string;
  iss?: string | undefined;
}

export interface ToolsListAuthorizationsBody {
  action: "list_authorizations";
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsRevokeAuthorizationBody {
  action: "revoke_authorization";
  /** the address of the MCP server */
  url: string;
  /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
  account?: GrantParty | undefined;
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsTestBody {
  action: "test";
  /** with `list`: use the server of this tool */
  tool_id: string;
  /** the arguments, as a model would send them */
  input?: Record<string, unknown> | undefined;
}

export type ToolsBody =
  | ToolsListBody
  | ToolsImportBody
  | ToolsAuthorizeBody
  | ToolsFinishAuthorizationBody
  | ToolsListAuthorizationsBody
  | ToolsRevokeAuthorizationBody
  | ToolsTestBody;

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

export interface TestWebhookBody {
  webhook_id: string;
  event_type: EventType;
}

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

export type WebhooksBody = WebhooksRegenerateSecretBody | WebhooksRevokePreviousSecretsBody;

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
