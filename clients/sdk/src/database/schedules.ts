// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { ScheduleOutcome } from "../schedules.ts";

export type SchedulesTable = {
  Row: {
    id: string;
    user_id: string;
    name: string;
    agent_id: string | null;
    swarm_id: string | null;
    message: string;
    conversation: "own" | "new";
    cron: string | null;
    time_zone: string;
    run_at: string | null;
    enabled: boolean;
    max_tokens: number | null;
    max_cost_usd: number | null;
    when_running: "skip" | "queue";
    when_missed: "skip" | "last";
    jitter_seconds: number;
    pause_after_failures: number;
    next_run_at: string | null;
    due_at: string | null;
    waiting: "limit" | "run" | "service" | null;
    retry_at: string | null;
    open_run_id: string | null;
    last_outcomes: ScheduleOutcome[];
    failures: number;
    paused_reason: string | null;
    api_key_id: string | null;
    api_key_scopes: string[] | null;
    created_by_agent_id: string | null;
    created_at: string;
    updated_at: string;
  };
  Insert: {
    id?: string;
    user_id?: string;
    name: string;
    agent_id?: string | null;
    swarm_id?: string | null;
    message: string;
    conversation?: "own" | "new";
    cron?: string | null;
    time_zone?: string;
    run_at?: string | null;
    enabled?: boolean;
    max_tokens?: number | null;
    max_cost_usd?: number | null;
    when_running?: "skip" | "queue";
    when_missed?: "skip" | "last";
    jitter_seconds?: number;
    pause_after_failures?: number;
  };
  Update: {
    name?: string;
    message?: string;
    conversation?: "own" | "new";
    cron?: string | null;
    time_zone?: string;
    run_at?: string | null;
    enabled?: boolean;
    max_tokens?: number | null;
    max_cost_usd?: number | null;
    when_running?: "skip" | "queue";
    when_missed?: "skip" | "last";
    jitter_seconds?: number;
    pause_after_failures?: number;
  };
  Relationships: [
    {
      foreignKeyName: "schedules_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agent_cards";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "schedules_agent_id_fkey";
      columns: ["agent_id"];
      isOneToOne: false;
      referencedRelation: "agents";
      referencedColumns: ["id"];
    },
    {
      foreignKeyName: "schedules_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
