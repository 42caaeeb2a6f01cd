// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { AgentSettings, AgentStatus, Framework } from "../agents.ts";
import type { MessageFlagSource } from "../messages.ts";
import type { SwarmSettings, SwarmStatus, SwarmStrategy } from "../swarms.ts";

export interface EventActor {
  /** `service` is a call with the service role key, `system` the service itself */
  type: "user" | "agent" | "service" | "system";
  /** the id of the user or agent; otherwise null */
  id: string | null;
}

export interface EventFault {
  /** identifies the error; new codes may be added */
  code: string;
  message: string;
  retryable: boolean;
  /** HTTP status that the AI provider answered with */
  provider_status?: number | null;
}

export interface EventUsage {
  input_tokens: number;
  /** the part of `input_tokens` that the provider had in its cache */
  cached_input_tokens: number;
  output_tokens: number;
  total_tokens: number;
  /** null if a price is unknown */
  cost_usd: number | null;
  /** true if the provider reported no usage and the service estimated it */
  estimated: boolean;
}

export interface EventFlag {
  id: string;
  /** `moderation` is the blocklist of the swarm */
  source: MessageFlagSource;
  category: string | null;
  reason: string | null;
}

export interface AgentRecord {
  id: string;
  /** the owner */
  user_id: string;
  name: string;
  role: string | null;
  avatar: string | null;
  description: string | null;
  starter_questions: string[];
  framework: Framework;
  model: string | null;
  system_prompt: string | null;
  /** see `AgentSettings` */
  settings: AgentSettings;
  /** its tools may act for whoever asks it */
  acts_for_askers: boolean;
  status: AgentStatus;
  created_at: string;
  updated_at: string;
}

export interface SwarmRecord {
  id: string;
  owner_id: string;
  name: string;
  description: string | null;
  avatar: string | null;
  status: SwarmStatus;
  strategy: SwarmStrategy;
  coordinator_agent_id: string | null;
  /** see `SwarmSettings` */
  settings: SwarmSettings;
  created_at: string;
  updated_at: string;
}
