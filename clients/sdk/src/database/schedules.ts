// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { ScheduleOutcome } from "../schedules.ts";

/** Schedules: when an agent, or the agents of a swarm, get a message of their user. */
export type SchedulesTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner, in whose name the runs are started. It cannot change. */
    user_id: string;
    /** A name for the owner. */
    name: string;
    /** The agent that is asked: your own, or one of `published_agents`. It cannot change. */
    agent_id: string | null;
    /** The swarm that gets the message, in which you may write. It cannot change. */
    swarm_id: string | null;
    /** What is sent. */
    message: string;
    /** With `agent_id`. `own`: one conversation for all runs of the schedule. `new`: one for each run. Neither is your chat with the agent. */
    conversation: "own" | "new";
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    cron: string | null;
    /** The zone of `cron`, such as `Europe/Berlin`. */
    time_zone: string;
    /** The only time, instead of `cron`. */
    run_at: string | null;
    /** Whether runs are started. The service switches it off after the last time, and with a `paused_reason`. */
    enabled: boolean;
    /** A budget of tokens for each run, beside all others that apply. */
    max_tokens: number | null;
    /** A budget of US dollars for each run. */
    max_cost_usd: number | null;
    /** What a time does while a run of the schedule is in progress, or waits for a limit: `skip`, or `queue` behind it. */
    when_running: "skip" | "queue";
    /** What a time does that no node could start within five minutes: `skip`, or `last`, which starts the last one. */
    when_missed: "skip" | "last";
    /** The longest random delay, which is less than the time to the next run. */
    jitter_seconds: number;
    /** How many failures in a row switch the schedule off; 0: none do. */
    pause_after_failures: number;
    /** When the next run is started. Null until the service has planned it, and while the schedule is off. */
    next_run_at: string | null;
    /** `next_run_at` without its jitter. While a start waits, the time that waits. */
    due_at: string | null;
    /** What a start waits for: a `limit`, or the `run` in progress. Null: it does not wait. */
    waiting: "limit" | "run" | "service" | null;
    /** When a start that waits for a limit is tried again; `infinity` while it waits for a run. */
    retry_at: string | null;
    /** The run in progress. */
    open_run_id: string | null;
    /** The last ten, latest first: `due_at` (null: by hand), `at`, `outcome` (`started` and then the status of the run, `waiting`, `skipped`, `missed`, `rejected`), and where they apply `run_id`, `swarm_id`, `ended_at`, `code`, `message`. */
    last_outcomes: ScheduleOutcome[];
    /** Failures in a row. */
    failures: number;
    /** Why the service has switched the schedule off: `failures`, or the code of the error that ended it. */
    paused_reason: string | null;
    /** The API key that wrote the schedule last; null: none did. */
    api_key_id: string | null;
    /** The scopes of this key. */
    api_key_scopes: string[] | null;
    /** The agent whose tool has made the schedule; null: no agent has. */
    created_by_agent_id: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner, in whose name the runs are started. It cannot change. */
    user_id?: string;
    /** A name for the owner. */
    name: string;
    /** The agent that is asked: your own, or one of `published_agents`. It cannot change. */
    agent_id?: string | null;
    /** The swarm that gets the message, in which you may write. It cannot change. */
    swarm_id?: string | null;
    /** What is sent. */
    message: string;
    /** With `agent_id`. `own`: one conversation for all runs of the schedule. `new`: one for each run. Neither is your chat with the agent. */
    conversation?: "own" | "new";
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    cron?: string | null;
    /** The zone of `cron`, such as `Europe/Berlin`. */
    time_zone?: string;
    /** The only time, instead of `cron`. */
    run_at?: string | null;
    /** Whether runs are started. The service switches it off after the last time, and with a `paused_reason`. */
    enabled?: boolean;
    /** A budget of tokens for each run, beside all others that apply. */
    max_tokens?: number | null;
    /** A budget of US dollars for each run. */
    max_cost_usd?: number | null;
    /** What a time does while a run of the schedule is in progress, or waits for a limit: `skip`, or `queue` behind it. */
    when_running?: "skip" | "queue";
    /** What a time does that no node could start within five minutes: `skip`, or `last`, which starts the last one. */
    when_missed?: "skip" | "last";
    /** The longest random delay, which is less than the time to the next run. */
    jitter_seconds?: number;
    /** How many failures in a row switch the schedule off; 0: none do. */
    pause_after_failures?: number;
  };
  Update: {
    /** A name for the owner. */
    name?: string;
    /** What is sent. */
    message?: string;
    /** With `agent_id`. `own`: one conversation for all runs of the schedule. `new`: one for each run. Neither is your chat with the agent. */
    conversation?: "own" | "new";
    /** Five fields: minute, hour, day of the month, month, day of the week. */
    cron?: string | null;
    /** The zone of `cron`, such as `Europe/Berlin`. */
    time_zone?: string;
    /** The only time, instead of `cron`. */
    run_at?: string | null;
    /** Whether runs are started. The service switches it off after the last time, and with a `paused_reason`. */
    enabled?: boolean;
    /** A budget of tokens for each run, beside all others that apply. */
    max_tokens?: number | null;
    /** A budget of US dollars for each run. */
    max_cost_usd?: number | null;
    /** What a time does while a run of the schedule is in progress, or waits for a limit: `skip`, or `queue` behind it. */
    when_running?: "skip" | "queue";
    /** What a time does that no node could start within five minutes: `skip`, or `last`, which starts the last one. */
    when_missed?: "skip" | "last";
    /** The longest random delay, which is less than the time to the next run. */
    jitter_seconds?: number;
    /** How many failures in a row switch the schedule off; 0: none do. */
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
