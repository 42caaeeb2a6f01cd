// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { EventFault, EventUsage } from "../event-types/shared.ts";
import type { PendingWait } from "../function-types/run-answers.ts";
import type { JsonObject } from "../json.ts";
import type { RunStatus, RunStopReason } from "../runs.ts";
import type { SwarmStrategy } from "../swarms.ts";

/** One row for each time that the agents of a swarm respond. */
export type RunsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The swarm. */
    swarm_id: string;
    /** The user who started the run. */
    user_id: string | null;
    /** The OAuth client of the program that started the run for the user; null: none did. It stays after the program was disconnected. */
    client_id: string | null;
    /** The message that the run responds to. */
    message_id: string | null;
    /** `requires_action` waits for an approval or for a result of the client, `waiting` for a time or a signal. */
    status: RunStatus;
    /** Why the run ended; null before that. */
    stop_reason: RunStopReason | null;
    /** The strategy of the swarm when the run was created. */
    strategy: SwarmStrategy;
    /** The options of the call. Of a sub-task: `source` is `sub_task`, and `parent_run_id` the run that it is a part of. */
    request: JsonObject;
    /** What started the run in place of a call: the `extension`, and its `type` and `id`. Null for a call or a message of a user. */
    cause: JsonObject | null;
    /** The error of a run that failed. */
    error: EventFault | null;
    /** Tokens and cost of all turns; null before the run ends. */
    usage: EventUsage | null;
    /** How many turns there were. */
    turn_count: number;
    /** When the run was accepted. */
    queued_at: string;
    /** When the first turn started. */
    started_at: string | null;
    /** When the run ended. */
    finished_at: string | null;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** The tool calls that wait for a time or a signal: `tool_execution_id`, `tool_name`, `agent_id`, `kind` (`time` or `event`), `until`, and of an event `name` and `from`. Null without any. */
    pending_waits: PendingWait[] | null;
    /** All that the run waited for has ended; it continues when no other run of the swarm is running. */
    can_continue: boolean;
  };
  Insert: never;
  Update: never;
  Relationships: [
    {
      foreignKeyName: "runs_message_id_fkey";
      columns: ["swarm_id", "message_id"];
      isOneToOne: false;
      referencedRelation: "messages";
      referencedColumns: ["swarm_id", "id"];
    },
    {
      foreignKeyName: "runs_swarm_id_fkey";
      columns: ["swarm_id"];
      isOneToOne: false;
      referencedRelation: "swarms";
      referencedColumns: ["id"];
    },
  ];
};
