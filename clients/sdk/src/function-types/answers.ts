// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { ApiKeyScope } from "../api-keys.ts";
import type { Json, JsonObject } from "../json.ts";

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

export interface CommittedCursor {
  committed: string;
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

export interface FeedEvents {
  /** envelopes, with the bytes of a delivery */
  events: {
    id: string;
    type: string;
    created_at: string;
    api_version: string;
    data: JsonObject;
  }[];
  /** for `after` of the next call */
  cursor: string;
  /** events after the given cursor that were removed by their age */
  lost: number;
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

export interface InvitationLink {
  link: string;
  secret: string;
  expires_at: string | null;
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

export interface PortalLink {
  /** the page, with the token in its fragment */
  url: string;
  expires_at: string;
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

export interface RevokedSecrets {
  /** the number of replaced secrets that still signed */
  revoked: number;
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
