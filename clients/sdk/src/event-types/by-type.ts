// Written by "npm run generate -- sdk-types" from event-schemas/; do not edit.
import type {
  AgentCreatedData,
  AgentDeletedData,
  AgentErrorData,
  AgentStatusChangedData,
  AgentUpdatedData,
} from "./agent.ts";
import type {
  SwarmAgentAddedData,
  SwarmAgentRemovedData,
  SwarmCompletedData,
  SwarmCreatedData,
  SwarmDeletedData,
  SwarmUpdatedData,
} from "./swarm.ts";
import type { MessageCreatedData, MessageDeletedData, MessageFlaggedData, MessageUpdatedData } from "./message.ts";
import type { RunUpdatedData } from "./run.ts";
import type { ToolErrorData, ToolExecutedData } from "./tool.ts";
import type { UserJoinedData, UserRemovedData, UserRoleChangedData } from "./user.ts";

export interface EventDataByType {
  "message.created": MessageCreatedData;
  "message.updated": MessageUpdatedData;
  "message.deleted": MessageDeletedData;
  "message.flagged": MessageFlaggedData;
  "swarm.created": SwarmCreatedData;
  "swarm.updated": SwarmUpdatedData;
  "swarm.deleted": SwarmDeletedData;
  "swarm.completed": SwarmCompletedData;
  "swarm.agent_added": SwarmAgentAddedData;
  "swarm.agent_removed": SwarmAgentRemovedData;
  "run.updated": RunUpdatedData;
  "agent.created": AgentCreatedData;
  "agent.updated": AgentUpdatedData;
  "agent.deleted": AgentDeletedData;
  "agent.error": AgentErrorData;
  "agent.status_changed": AgentStatusChangedData;
  "tool.executed": ToolExecutedData;
  "tool.error": ToolErrorData;
  "user.joined": UserJoinedData;
  "user.removed": UserRemovedData;
  "user.role_changed": UserRoleChangedData;
}
