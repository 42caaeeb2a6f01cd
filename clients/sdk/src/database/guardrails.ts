// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { GuardrailAction, GuardrailConfig, GuardrailKind, GuardrailStage } from "../guardrails.ts";

export type GuardrailsTable = {
  Row: {
    id: string;
    agent_id: string | null;
    swarm_id: string | null;
    name: string;
    kind: GuardrailKind;
    stage: GuardrailStage;
    action: GuardrailAction;
    config: GuardrailConfig;
    position: number;
    is_active: boolean;
    secret: string | null;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    agent_id?: string | null;
    swarm_id?: string | null;
    name: string;
    kind: GuardrailKind;
    stage: GuardrailStage;
    action?: GuardrailAction;
    config: GuardrailConfig;
    position?: number;
    is_active?: boolean;
  };
  Update: {
    name?: string;
    stage?: GuardrailStage;
    action?: GuardrailAction;
    config?: GuardrailConfig;
    position?: number;
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
