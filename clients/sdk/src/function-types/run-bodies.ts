// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { Framework } from "../agents.ts";

export interface AgentRespondAskBody {
  swarm_id: string;
  message: string;
  /** only these agents answer; otherwise those that are mentioned, or that the strategy selects */
  agent_ids?: readonly string[] | null | undefined;
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** respond with 202 at once */
  background?: boolean | null | undefined;
  /** include `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
  /** what happens when the swarm is busy; default: the setting of the swarm */
  on_conflict?: "enqueue" | "reject" | "interrupt" | null | undefined;
  /** `cancel` ends the run when this connection closes */
  on_disconnect?: "continue" | "cancel" | null | undefined;
  /** maximum number of turns, within the limit of the swarm */
  max_turns?: number | null | undefined;
  response_schema?: Record<string, unknown> | null | undefined;
  /** tools for this run alone, which you execute: a call of such a tool waits for its result */
  client_tools?:
    | readonly {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
        description: string;
        input_schema?: Record<string, unknown> | null | undefined;
      }[]
    | null
    | undefined;
  /** `required`, or the `name` of one of `client_tools` that the model must call first, alone */
  tool_choice?:
    | "auto"
    | "required"
    | {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
      }
    | null
    | undefined;
  images?:
    | readonly {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
        media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
        /** what the model reads; at most 32,768 bytes of JSON */
        data: string;
      }[]
    | null
    | undefined;
  /** stored with your message */
  reply_to_id?: string | null | undefined;
  /** stored with your message; the same value again refers to the same run */
  client_message_id?: string | null | undefined;
  /** answers the message again that has this `client_message_id` or id: its answers, and your later messages with the same `metadata` and their answers, are deleted, and runs of these that have not ended are cancelled. Another text takes the place of the message's */
  regenerate?: boolean | null | undefined;
  /** stored with your message; at most 32,000 bytes */
  metadata?: Record<string, unknown> | null | undefined;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
}

export interface AgentRespondAskOneAgentBody {
  message: string;
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** respond with 202 at once */
  background?: boolean | null | undefined;
  /** include `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
  /** what happens when the swarm is busy; default: the setting of the swarm */
  on_conflict?: "enqueue" | "reject" | "interrupt" | null | undefined;
  /** `cancel` ends the run when this connection closes */
  on_disconnect?: "continue" | "cancel" | null | undefined;
  /** maximum number of turns, within the limit of the swarm */
  max_turns?: number | null | undefined;
  response_schema?: Record<string, unknown> | null | undefined;
  /** tools for this run alone, which you execute: a call of such a tool waits for its result */
  client_tools?:
    | readonly {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
        description: string;
        input_schema?: Record<string, unknown> | null | undefined;
      }[]
    | null
    | undefined;
  /** `required`, or the `name` of one of `client_tools` that the model must call first, alone */
  tool_choice?:
    | "auto"
    | "required"
    | {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
      }
    | null
    | undefined;
  images?:
    | readonly {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
        media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
        /** what the model reads; at most 32,768 bytes of JSON */
        data: string;
      }[]
    | null
    | undefined;
  /** stored with your message */
  reply_to_id?: string | null | undefined;
  /** stored with your message; the same value again refers to the same run */
  client_message_id?: string | null | undefined;
  /** answers the message again that has this `client_message_id` or id: its answers, and your later messages with the same `metadata` and their answers, are deleted, and runs of these that have not ended are cancelled. Another text takes the place of the message's */
  regenerate?: boolean | null | undefined;
  /** stored with your message; at most 32,000 bytes */
  metadata?: Record<string, unknown> | null | undefined;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
  /** your agent, which answers in the private swarm of you and the agent, or in the conversation of `messages` */
  agent_id: string;
  /** `new` with `message`: begins another private conversation with the agent. `continue` with `messages`: continues the private conversation that has exactly the messages before the last one; a single message begins one, and other messages are a conversation of their own */
  conversation?: "new" | undefined;
}

export interface AgentRespondConverseBody {
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** respond with 202 at once */
  background?: boolean | null | undefined;
  /** include `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
  /** `cancel` ends the run when this connection closes */
  on_disconnect?: "continue" | "cancel" | null | undefined;
  /** maximum number of turns, within the limit of the swarm */
  max_turns?: number | null | undefined;
  response_schema?: Record<string, unknown> | null | undefined;
  /** tools for this run alone, which you execute: a call of such a tool waits for its result */
  client_tools?:
    | readonly {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
        description: string;
        input_schema?: Record<string, unknown> | null | undefined;
      }[]
    | null
    | undefined;
  /** `required`, or the `name` of one of `client_tools` that the model must call first, alone */
  tool_choice?:
    | "auto"
    | "required"
    | {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
      }
    | null
    | undefined;
  images?:
    | readonly {
        /** of the event for which a call of the run waits, or will wait */
        name: string;
        media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
        /** what the model reads; at most 32,768 bytes of JSON */
        data: string;
      }[]
    | null
    | undefined;
  /** stored with your message; at most 32,000 bytes */
  metadata?: Record<string, unknown> | null | undefined;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
  /** your agent, which answers in the private swarm of you and the agent, or in the conversation of `messages` */
  agent_id: string;
  /** the whole conversation; the last message is the user's, and system messages follow the agent's system prompt */
  messages: readonly {
    role: "system" | "user" | "assistant";
    content: string;
    tool_results?:
      | readonly {
          /** of the event for which a call of the run waits, or will wait */
          name: string;
          input: string;
          output: string;
          is_error?: boolean | null | undefined;
        }[]
      | null
      | undefined;
  }[];
  /** true: the conversation is stored as one of your swarms. Otherwise it is deleted after the run */
  store?: boolean | null | undefined;
  /** a number of `agent_versions`: the agent answers as it was in that version */
  agent_version?: number | null | undefined;
  /** another provider for this call; the checks of `agents.framework` and `agents.model` apply */
  framework?: Framework | null | undefined;
  /** another model for this call; if absent, the default of `framework` if that is given, otherwise the agent's */
  model?: string | null | undefined;
  /** takes the place of the agent's system prompt in this call; empty: none */
  system_prompt?: string | null | undefined;
  /** settings for this call, which take precedence over the agent's */
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
  /** `new` with `message`: begins another private conversation with the agent. `continue` with `messages`: continues the private conversation that has exactly the messages before the last one; a single message begins one, and other messages are a conversation of their own */
  conversation?: "continue" | undefined;
}

export interface AgentRespondCancelBody {
  action: "cancel";
  run_id: string;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
}

export interface AgentRespondApproveBody {
  action: "approve";
  run_id: string;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
  /** all of them are accepted, or none; `content` is the answer to a `question` */
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
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
  /** of the tool calls that wait for you, each with `output` or `error`; all are accepted, or none */
  results: readonly {
    tool_execution_id: string;
    output?: unknown;
    error?: string | undefined;
  }[];
}

export interface AgentRespondSignalBody {
  action: "signal";
  run_id: string;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
  /** of the event for which a call of the run waits, or will wait */
  name: string;
  /** what the model reads; at most 32,768 bytes of JSON */
  data?: unknown;
}

export interface AgentRespondAttachBody {
  action: "attach";
  run_id: string;
  /** for the service role: the user for whom it acts, who also pays */
  user_id?: string | null | undefined;
  /** only later events are sent */
  last_event_id?: number | string | null | undefined;
  /** the same as `Accept: text/event-stream` */
  stream?: boolean | null | undefined;
  /** include `reasoning.delta` in the stream */
  include_reasoning?: boolean | null | undefined;
}

export type AgentRespondBody =
  | AgentRespondAskBody
  | AgentRespondAskOneAgentBody
  | AgentRespondConverseBody
  | AgentRespondCancelBody
  | AgentRespondApproveBody
  | AgentRespondSubmitToolResultsBody
  | AgentRespondSignalBody
  | AgentRespondAttachBody;
