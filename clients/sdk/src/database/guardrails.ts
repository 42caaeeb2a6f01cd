// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GuardrailAction, GuardrailConfig, GuardrailKind, GuardrailStage } from "../guardrails.ts";

/** Checks of what an agent, or every agent of a swarm, reads and answers. */
export type GuardrailsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The agent; null for a guardrail of a swarm. It cannot change. */
    agent_id: string | null;
    /** The swarm; null for a guardrail of an agent. It cannot change. */
    swarm_id: string | null;
    /** Shown in errors and flags. */
    name: string;
    /** How the text is checked. It cannot change. */
    kind: GuardrailKind;
    /** `input`: the messages that the agent reads. `output`: its answer. */
    stage: GuardrailStage;
    /** `block` ends the turn; `rewrite` replaces the text. */
    action: GuardrailAction;
    /** By kind: `pattern`; `schema`; `policy`, `framework`, `model`, `on_error`; or `url`, `headers`, `timeout_ms`, `on_error`. All kinds take `replacement`. */
    config: GuardrailConfig;
    /** The order among the guardrails of the agent or the swarm. */
    position: number;
    /** Switches the guardrail off. */
    is_active: boolean;
    /** Signs the requests of a webhook; created by the service. */
    secret: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The agent; null for a guardrail of a swarm. It cannot change. */
    agent_id?: string | null;
    /** The swarm; null for a guardrail of an agent. It cannot change. */
    swarm_id?: string | null;
    /** Shown in errors and flags. */
    name: string;
    /** How the text is checked. It cannot change. */
    kind: GuardrailKind;
    /** `input`: the messages that the agent reads. `output`: its answer. */
    stage: GuardrailStage;
    /** `block` ends the turn; `rewrite` replaces the text. */
    action?: GuardrailAction;
    /** By kind: `pattern`; `schema`; `policy`, `framework`, `model`, `on_error`; or `url`, `headers`, `timeout_ms`, `on_error`. All kinds take `replacement`. */
    config: GuardrailConfig;
    /** The order among the guardrails of the agent or the swarm. */
    position?: number;
    /** Switches the guardrail off. */
    is_active?: boolean;
  };
  Update: {
    /** Shown in errors and flags. */
    name?: string;
    /** `input`: the messages that the agent reads. `output`: its answer. */
    stage?: GuardrailStage;
    /** `block` ends the turn; `rewrite` replaces the text. */
    action?: GuardrailAction;
    /** By kind: `pattern`; `schema`; `policy`, `framework`, `model`, `on_error`; or `url`, `headers`, `timeout_ms`, `on_error`. All kinds take `replacement`. */
    config?: GuardrailConfig;
    /** The order among the guardrails of the agent or the swarm. */
    position?: number;
    /** Switches the guardrail off. */
    is_active?: boolean;
  };
  Relationships: [
    {
      foreignKeyName: "guardrails_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "guardrails_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "guardrails_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
