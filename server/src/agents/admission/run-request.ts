import type { JsonRecord } from "../../json/index.ts";
import type { NamedImage } from "../providers/model-port.ts";
import type { ClientTool, ClientToolChoice } from "../tools/client/client-tools.ts";
import type { RunOrigin } from "./run-origin.ts";
import type { Conversation } from "./conversation.ts";

/** A request to the agents of a swarm. */
export interface RunRequest {
  /** Null means the private swarm of the user and `agentId`, which the first request creates. */
  readonly swarmId: string | null;
  readonly agentId: string | null;
  /** With `agentId`: the agent answers in a new swarm with these messages instead of the private one. */
  readonly conversation: Conversation | null;
  /** With `agentId`: begins a private conversation beside those that exist. */
  readonly isNewConversation: boolean;
  /**
   * With `conversation`: continues the private conversation that has exactly its messages. A single message begins one. Without
   * such a conversation, the call is as any other with messages.
   */
  readonly continuesConversation: boolean;
  /** The body has members that change how the agent answers, whether the call honours them or not. */
  readonly namesOverrides: boolean;
  readonly message: string;
  readonly agentIds: readonly string[] | null;
  readonly onConflict: "enqueue" | "reject" | "interrupt" | null;
  readonly maxTurns: number | null;
  /** A JSON Schema for the answers; null means that each agent has its own. */
  readonly responseSchema: JsonRecord | null;
  /** Tools for this run alone, which the client executes. */
  readonly clientTools: readonly ClientTool[];
  /** What the first call of the model in a turn must call of these; null means that the model decides. */
  readonly toolChoice: ClientToolChoice | null;
  /** For the models of this run. */
  readonly images: readonly NamedImage[];
  readonly replyToId: string | null;
  readonly clientMessageId: string | null;
  /** The `client_message_id` or the id of a message of the user: the run replaces its answers. */
  readonly regenerates: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The request body: a request with the same idempotency key must have the same. */
  readonly fingerprint: string;
  readonly traceparent: string | null;
  /** Absent means that a call of the user starts the run. */
  readonly origin?: RunOrigin;
  /** Counts the run against the rate limit of the user. Throws when the limit is reached. */
  charge(): Promise<void>;
}
