// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { GrantParty } from "../grants.ts";
import type { Json, JsonObject } from "../json.ts";
import type { ToolKind, ToolVisibility } from "../tools.ts";

export interface AcceptedGrant {
  accepted: true;
  grant_id: string;
  agent_id: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface AcceptedInvitation {
  accepted: true;
  swarm_id: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface BatchResults {
  results: {
    status: number;
    /** the headers of the single request */
    headers: JsonObject;
    /** JSON if the operation returns JSON, otherwise text; null without a body */
    body: Json;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface DeclinedGrant {
  declined: true;
  grant_id: string;
  agent_id: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface DeclinedInvitation {
  declined: true;
  swarm_id: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface DeletedSigningSecret {
  deleted: true;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface EmittedEvents {
  ids: string[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface FinishedAuthorization {
  url: string;
  scope: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface FoundInvitation {
  invitation: {
    id: string;
    swarm_id: string;
    swarm_name: string;
    role: string;
    inviter_name: string | null;
    created_at: string;
    expires_at: string | null;
  };
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ImportedTools {
  imported: Tool[];
  skipped: {
    name: string;
    reason: string;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface InvitationLink {
  link: string;
  secret: string;
  expires_at: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ListedAuthorizations {
  authorizations: {
    url: string;
    /** asker: an account that the user has connected */
    account: GrantParty;
    scope: string | null;
    authorized: boolean;
    authorized_at: string | null;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface NewApiKey {
  /** the key itself, which is not shown again */
  key: string;
  api_key: {
    id: string;
    user_id: string;
    name: string;
    scopes: ApiKeyScope[];
    resources: {
      agents: string[];
      swarms: string[];
    } | null;
    prefix: string;
    expires_at: string | null;
    last_used_at: string | null;
    created_at: string;
  };
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface NewSigningSecret {
  new_secret: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface Recovery {
  id: string;
  webhook_id: string;
  since: string;
  until: string;
  status: "running" | "completed";
  /** number of failed deliveries when the recovery began */
  found: number;
  /** number of these that were queued again */
  recovered: number;
  created_at: string;
  completed_at: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RemoteTool {
  name: string;
  description: string;
  input_schema: JsonObject;
}

export interface RemoteTools {
  tools: RemoteTool[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ReplacedWebhookSecret {
  new_secret: string;
  previous_secret_expires_at: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface ReplayedDeliveries {
  deliveries: {
    delivery_id: string;
    webhook_id: string;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RetriedDelivery {
  success: true;
  status: "delivered";
  delivery_id: string;
  status_code: number;
  response_time_ms: number;
  response_body: string | null;
  attempts: number;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RevokedApiKey {
  revoked: true;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RevokedAuthorization {
  revoked: boolean;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface RevokedSecrets {
  /** the number of replaced secrets that still signed */
  revoked: number;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface StartedAuthorization {
  authorization_url: string;
  state: string;
  expires_at: string;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface TestedDelivery {
  success: boolean;
  delivery_id: string;
  /** null without a response */
  status_code: number | null;
  response_time_ms: number;
  response_body: string | null;
  /** only when it failed */
  code?: "DELIVERY_FAILED";
  /** the reason, if there was no response */
  error?: string | null;
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface TestedFilter {
  events: {
    event_id: string;
    type: string;
    created_at: string;
    /** whether the event meets the conditions */
    passes: boolean;
  }[];
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface TestedTool {
  tool_id: string;
  success: boolean;
  status: "succeeded" | "failed" | "timed_out" | "cancelled";
  attempts: number;
  duration_ms: number;
  /** any JSON */
  output?: Json;
  output_chars?: number;
  truncated?: boolean;
  error?: {
    code: string;
    message: string;
    retryable: boolean;
  };
  /** unknown members of the body; absent when there are none */
  warnings?: string[];
}

export interface Tool {
  id: string;
  owner_id: string | null;
  /** the name for models */
  name: string;
  description: string;
  category: string | null;
  icon: string | null;
  input_schema: JsonObject;
  kind: ToolKind;
  config: JsonObject;
  visibility: ToolVisibility;
  requires_approval: boolean;
  timeout_ms: number;
  max_output_chars: number;
  max_retries: number;
  idempotent: boolean;
  enabled: boolean;
  created_at: string;
  updated_at: string;
  /** the names; the values are never shown */
  secret_names: string[];
  /** the service role wrote the definition last */
  is_vouched: boolean;
}
