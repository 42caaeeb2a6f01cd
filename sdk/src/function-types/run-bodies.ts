// Written by "npm run sdk:types" from the OpenAPI document; do not edit.
export interface AgentRespondAskBody {
  swarm_id: string;
  message: string;
  /** only these answer; otherwise those who are mentioned, otherwise those whom the strategy calls */
  agent_ids?: readonly string[] | null | undefined;
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** answer 202 at once */
  background?: boolean | null | undefined;
  /** show `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
  /** when the swarm is busy; default: the setting of the swarm */
  on_conflict?: "enqueue" | "reject" | "interrupt" | null | undefined;
  /** `cancel` ends the run when this connection closes */
  on_disconnect?: "continue" | "cancel" | null | undefined;
  /** where the swarm allows as many */
  max_turns?: number | null | undefined;
  response_schema?: Record<string, unknown> | null | undefined;
  /** tools for this run alone, which you execute: a call of one waits for its result */
  client_tools?:
    | readonly {
        name: string;
        description: string;
        input_schema?: Record<string, unknown> | null | undefined;
      }[]
    | null
    | undefined;
  /** kept with your message */
  reply_to_id?: string | null | undefined;
  /** kept with your message; the same one again is the same run */
  client_message_id?: string | null | undefined;
  /** kept with your message; at most 32,000 bytes */
  metadata?: Record<string, unknown> | null | undefined;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
}

export interface AgentRespondAskOneAgentBody {
  message: string;
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** answer 202 at once */
  background?: boolean | null | undefined;
  /** show `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
  /** when the swarm is busy; default: the setting of the swarm */
  on_conflict?: "enqueue" | "reject" | "interrupt" | null | undefined;
  /** `cancel` ends the run when this connection closes */
  on_disconnect?: "continue" | "cancel" | null | undefined;
  /** where the swarm allows as many */
  max_turns?: number | null | undefined;
  response_schema?: Record<string, unknown> | null | undefined;
  /** tools for this run alone, which you execute: a call of one waits for its result */
  client_tools?:
    | readonly {
        name: string;
        description: string;
        input_schema?: Record<string, unknown> | null | undefined;
      }[]
    | null
    | undefined;
  /** kept with your message */
  reply_to_id?: string | null | undefined;
  /** kept with your message; the same one again is the same run */
  client_message_id?: string | null | undefined;
  /** kept with your message; at most 32,000 bytes */
  metadata?: Record<string, unknown> | null | undefined;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
  /** your agent, which answers in the private swarm of you and the agent, or in the conversation of `messages` */
  agent_id: string;
}

export interface AgentRespondConverseBody {
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** answer 202 at once */
  background?: boolean | null | undefined;
  /** show `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
  /** `cancel` ends the run when this connection closes */
  on_disconnect?: "continue" | "cancel" | null | undefined;
  /** where the swarm allows as many */
  max_turns?: number | null | undefined;
  response_schema?: Record<string, unknown> | null | undefined;
  /** tools for this run alone, which you execute: a call of one waits for its result */
  client_tools?:
    | readonly {
        name: string;
        description: string;
        input_schema?: Record<string, unknown> | null | undefined;
      }[]
    | null
    | undefined;
  /** kept with your message; at most 32,000 bytes */
  metadata?: Record<string, unknown> | null | undefined;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
  /** your agent, which answers in the private swarm of you and the agent, or in the conversation of `messages` */
  agent_id: string;
  /** the whole conversation; the last message is the user's, and system messages follow the agent's system prompt */
  messages: readonly {
    role: "system" | "user" | "assistant";
    content: string;
  }[];
  /** true: the conversation becomes a swarm of yours. Otherwise it is hidden, and deleted after the run */
  store?: boolean | null | undefined;
  /** a version of the agent, a number of `agent_versions`: it answers as it was then */
  agent_version?: number | null | undefined;
  /** take precedence over the agent's settings, for this call */
  settings?:
    | {
        temperature?: number | undefined;
        top_p?: number | undefined;
        max_tokens?: number | undefined;
        presence_penalty?: number | undefined;
        frequency_penalty?: number | undefined;
        stop?: readonly string[] | undefined;
        reasoning_effort?: string | undefined;
      }
    | null
    | undefined;
}

export interface AgentRespondCancelBody {
  action: "cancel";
  run_id: string;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
}

export interface AgentRespondApproveBody {
  action: "approve";
  run_id: string;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
  /** all of them hold, or none; `content` is the answer to a `question` */
  decisions: readonly {
    tool_execution_id: string;
    approved: boolean;
    reason?: string | undefined;
    content?: Record<string, unknown> | undefined;
  }[];
}

export interface AgentRespondSubmitToolResultsBody {
  action: "submit_tool_results";
  run_id: string;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
  /** of tool calls that wait for you, each with `output` or `error`; all of them hold, or none */
  results: readonly {
    tool_execution_id: string;
    output?: unknown;
    error?: string | undefined;
  }[];
}

export interface AgentRespondAttachBody {
  action: "attach";
  run_id: string;
  /** for the service role, which says for whom it speaks; that user pays */
  user_id?: string | null | undefined;
  /** only what came after it */
  last_event_id?: number | string | null | undefined;
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** show `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
}

export type AgentRespondBody =
  | AgentRespondAskBody
  | AgentRespondAskOneAgentBody
  | AgentRespondConverseBody
  | AgentRespondCancelBody
  | AgentRespondApproveBody
  | AgentRespondSubmitToolResultsBody
  | AgentRespondAttachBody;
