// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type { AgentStatus, AgentStatusReason, Framework } from "../agents.ts";
import type { AgentRecord, EventActor, EventFault } from "../event-types/shared.ts";

/** `agent.created`: An agent was created. */
export interface AgentCreatedData {
  agent_id: string;
  name: string;
  framework: Framework;
  /** null: the default model of the framework */
  model: string | null;
  role: string | null;
  created_at: string;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `agent.updated`: A field of an agent changed, other than its status. */
export interface AgentUpdatedData {
  agent_id: string;
  /** names of columns */
  changed_fields: string[];
  agent: AgentRecord;
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `agent.deleted`: An agent was deleted. Its messages are kept. */
export interface AgentDeletedData {
  agent_id: string;
  name: string;
  /** the swarms that it was in, where its owner was a member */
  removed_from_swarms: string[];
  actor: EventActor;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `agent.error`: A turn of an agent failed, after all retries and fallbacks. */
export interface AgentErrorData {
  agent_id: string;
  swarm_id: string;
  run_id: string;
  turn_id: string;
  error: EventFault;
  /** number of calls to the provider */
  attempts: number;
  framework: Framework;
  model: string;
  /** a sample of `test-webhook` */
  test?: true;
}

/** `agent.status_changed`: The status of an agent changed, by a run or by its owner. */
export interface AgentStatusChangedData {
  agent_id: string;
  status: AgentStatus;
  previous_status: AgentStatus;
  /** `manual`: set by its owner */
  reason: AgentStatusReason;
  run_id: string | null;
  swarm_id: string | null;
  changed_at: string;
  /** a sample of `test-webhook` */
  test?: true;
}
