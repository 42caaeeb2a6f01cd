// Written by "npm run sdk:types" from the OpenAPI document; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { EventType } from "../events.ts";
import type { ToolVisibility } from "../tools.ts";

export interface ToolsListBody {
  /** of the MCP server */
  url?: string | undefined;
  server?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** how the secret is sent; left out, the only secret is a bearer token */
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
      }
    | undefined;
  /** name to value, at most 20 */
  secrets?: Record<string, string> | undefined;
  action: "list";
  /** with `list`: ask the server of this tool */
  tool_id?: string | undefined;
}

export interface ToolsImportBody {
  /** of the MCP server */
  url?: string | undefined;
  server?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** how the secret is sent; left out, the only secret is a bearer token */
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
      }
    | undefined;
  /** name to value, at most 20 */
  secrets?: Record<string, string> | undefined;
  action: "import";
  /** as the server calls them */
  names: readonly string[];
  /** `public` is for the service role */
  visibility?: ToolVisibility | undefined;
  /** for the service role: whose the tools become, or whose authorizations they are */
  user_id?: string | undefined;
}

export interface ToolsAuthorizeBody {
  action: "authorize";
  /** of the MCP server */
  url: string;
  /** to ask for; left out, what the server names */
  scope?: string | undefined;
  /** of a client that you have registered; left out, the service registers itself */
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** where the browser continues; below `SITE_URL`, or in `REDIRECT_ALLOW_LIST` */
  redirect_to?: string | undefined;
  /** for the service role: whose the tools become, or whose authorizations they are */
  user_id?: string | undefined;
}

export interface ToolsFinishAuthorizationBody {
  action: "finish_authorization";
  /** from the fragment of the address that the browser came back to, as `code` and `iss` are */
  state: string;
  code: string;
  iss?: string | undefined;
}

export interface ToolsListAuthorizationsBody {
  action: "list_authorizations";
  /** for the service role: whose the tools become, or whose authorizations they are */
  user_id?: string | undefined;
}

export interface ToolsRevokeAuthorizationBody {
  action: "revoke_authorization";
  /** of the MCP server */
  url: string;
  /** for the service role: whose the tools become, or whose authorizations they are */
  user_id?: string | undefined;
}

export interface ToolsTestBody {
  action: "test";
  /** with `list`: ask the server of this tool */
  tool_id: string;
  /** what the model would send */
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
    /** as it would follow `/rest/v1`, query included */
    path: string;
    /** `Prefer`, `Accept`, `Accept-Profile`, `Content-Profile`, `Range` */
    headers?: Record<string, string> | undefined;
    /** any JSON */
    body?: unknown;
  }[];
}

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

export interface WebhookDispatcherReplayBody {
  action: "replay";
  /** as in the envelope */
  event_id: string;
  /** with `replay`: only to this one, whether or not it had the event */
  webhook_id?: string | undefined;
}

export interface WebhookDispatcherRecoverSinceBody {
  action: "recover_since";
  /** with `replay`: only to this one, whether or not it had the event */
  webhook_id: string;
  /** a time that has passed */
  since: string;
}

export interface WebhookDispatcherRecoveryBody {
  action: "recovery";
  recovery_id: string;
}

export type WebhookDispatcherBody =
  | WebhookDispatcherRetryBody
  | WebhookDispatcherReplayBody
  | WebhookDispatcherRecoverSinceBody
  | WebhookDispatcherRecoveryBody;

export interface ApiKeysCreateBody {
  action: "create";
  /** what you call the key */
  name: string;
  /** `read` is always included */
  scopes?: readonly ApiKeyScope[] | undefined;
  /** null or absent: the key does not expire, or as late as the service permits */
  expires_at?: string | null | undefined;
}

export interface ApiKeysRevokeBody {
  action: "revoke";
  /** the key to revoke; with the service role, of any user */
  id: string;
}

export type ApiKeysBody = ApiKeysCreateBody | ApiKeysRevokeBody;

export interface RequestSigningBody {
  action: "regenerate_secret" | "delete_secret";
  /** for the service role: whose secret */
  user_id?: string | undefined;
}
