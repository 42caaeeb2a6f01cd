// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { EventActor, EventUsage, SwarmRecord } from "../event-types/shared.ts";
import type { RunStopReason } from "../runs.ts";
import type { SwarmStrategy } from "../swarms.ts";

/** `swarm.created`: A swarm was created. */
export interface SwarmCreatedData {
  swarm_id: string;
  name: string;
  owner_id: string;
  strategy: SwarmStrategy;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `swarm.updated`: Name, settings, strategy or another field of a swarm changed. Its completion has a separate event. */
export interface SwarmUpdatedData {
  swarm_id: string;
  /** names of columns */
  changed_fields: string[];
  swarm: SwarmRecord;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `swarm.deleted`: A swarm was deleted with all of its messages. */
export interface SwarmDeletedData {
  swarm_id: string;
  name: string;
  owner_id: string;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `swarm.completed`: A run with at least one reply has ended, or the swarm's status was set to `completed`. */
export type SwarmCompletedData =
  | {
      swarm_id: string;
      run_id: string;
      /** `partial`: some agents could not answer */
      status: "completed" | "partial";
      stop_reason: RunStopReason;
      /** the message that was answered */
      message_id: string | null;
      response_message_ids: string[];
      usage: EventUsage | null;
      /** from the message to the last answer, including waits */
      duration_ms: number;
      /** a sample of `test-webhook` */
      test?: true;
    }
  | {
      swarm_id: string;
      /** no run: the status of the swarm was set to `completed` */
      run_id: null;
      source: "manual";
      actor: EventActor;
      /** a sample of `test-webhook` */
      test?: true;
    };

/** `swarm.agent_added`: An agent was added to a swarm. */
export interface SwarmAgentAddedData {
  swarm_id: string;
  agent_id: string;
  agent_name: string;
  /** the position in the order of turns */
  position: number;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `swarm.agent_removed`: An agent was removed from a swarm. */
export interface SwarmAgentRemovedData {
  swarm_id: string;
  agent_id: string;
  agent_name: string;
  reason: "removed" | "agent_deleted";
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}
