import type { LiveRun, LiveToolCall, LiveTurn, Message } from "@swarmbase/sdk";

/** A message as it is shown: stored, on its way, or being written by an agent. */
export interface SwarmMessage {
  /** The same for all states of a message, so it can be the `key` of an element. */
  readonly key: string;
  /** Null until the message is stored. */
  readonly id: string | null;
  /** `sending` and `failed`: a message of this client. `streaming`: an agent thinks or writes. */
  readonly status: "sending" | "failed" | "streaming" | "stored";
  readonly senderType: Message["sender_type"];
  /** The id of the user or agent; null if it is not known. */
  readonly senderId: string | null;
  readonly senderName: string;
  /** The text so far. Empty for an agent that thinks and for a deleted message. */
  readonly content: string;
  readonly isDeleted: boolean;
  /** The reasoning of the agent, with the option `includeReasoning`. */
  readonly reasoning: string;
  /** The tool calls of the turn, while its run is known to this client. */
  readonly toolCalls: readonly LiveToolCall[];
  /** Why a message could not be sent. */
  readonly error: Error | null;
  readonly runId: string | null;
  readonly replyToId: string | null;
  readonly createdAt: string;
  /** The row, once it is stored. */
  readonly row: Message | null;
}

/** A message of this client that is not stored yet. */
export interface OutgoingMessage {
  readonly clientMessageId: string;
  readonly content: string;
  readonly replyToId: string | null;
  readonly createdAt: string;
  /** Null while it is being sent. */
  readonly error: Error | null;
}

interface MessageSources {
  /** By `seq`, the oldest first. */
  readonly rows: readonly Message[];
  readonly outgoing: readonly OutgoingMessage[];
  readonly runs: readonly LiveRun[];
  readonly userId: string | null;
  readonly userName: string;
}

/** Stored messages, then those on their way, then those that agents are writing. */
export function composeMessages({ rows, outgoing, runs, userId, userName }: MessageSources): readonly SwarmMessage[] {
  const turns = new Map(runs.flatMap((run) => run.turns.map((turn) => [turn.messageId, { run, turn }] as const)));
  const stored = new Set(rows.map(({ id }) => id));
  const sent = new Set(rows.map((row) => row.client_message_id));
  return [
    ...rows.map((row) => toStored(row, turns.get(row.id)?.turn)),
    ...outgoing
      .filter(({ clientMessageId }) => !sent.has(clientMessageId))
      .map((message) => toOutgoing(message, userId, userName)),
    ...[...turns.values()]
      .filter(({ turn }) => !stored.has(turn.messageId) && (turn.status === "thinking" || turn.status === "responding"))
      .map(({ run, turn }) => toStreaming(run, turn)),
  ];
}

/** Rows do not change; so a list of thousands of messages does not render again with every piece of text. */
const storedMessages = new WeakMap<Message, SwarmMessage>();
const NO_TOOL_CALLS: readonly LiveToolCall[] = [];

function toStored(row: Message, turn: LiveTurn | undefined): SwarmMessage {
  const toolCalls = turn?.tools ?? NO_TOOL_CALLS;
  const reasoning = turn?.reasoning ?? "";
  const before = storedMessages.get(row);
  if (before?.toolCalls === toolCalls && before.reasoning === reasoning) return before;
  const message: SwarmMessage = {
    key: row.client_message_id ?? row.id,
    id: row.id,
    status: "stored",
    senderType: row.sender_type,
    senderId: row.sender_id,
    senderName: row.sender_name,
    content: row.content ?? "",
    isDeleted: row.deleted_at !== null,
    reasoning,
    toolCalls,
    error: null,
    runId: row.run_id,
    replyToId: row.reply_to_id,
    createdAt: row.created_at,
    row,
  };
  storedMessages.set(row, message);
  return message;
}

function toOutgoing(message: OutgoingMessage, userId: string | null, userName: string): SwarmMessage {
  const { clientMessageId, content, replyToId, createdAt, error } = message;
  return {
    key: clientMessageId,
    id: null,
    status: error === null ? "sending" : "failed",
    senderType: "user",
    senderId: userId,
    senderName: userName,
    content,
    isDeleted: false,
    reasoning: "",
    toolCalls: NO_TOOL_CALLS,
    error,
    runId: null,
    replyToId,
    createdAt,
    row: null,
  };
}

function toStreaming(run: LiveRun, turn: LiveTurn): SwarmMessage {
  return {
    key: turn.messageId,
    id: null,
    status: "streaming",
    senderType: "agent",
    senderId: turn.agentId,
    senderName: turn.agentName,
    content: turn.text,
    isDeleted: false,
    reasoning: turn.reasoning,
    toolCalls: turn.tools,
    error: null,
    runId: run.id,
    replyToId: null,
    createdAt: "",
    row: null,
  };
}

/** Adds rows, or replaces those with the same id that are not newer, and sorts by `seq`. */
export function mergeRows(rows: readonly Message[], received: readonly Message[]): readonly Message[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const row of received) {
    const before = byId.get(row.id);
    if (before === undefined || changedAt(before) <= changedAt(row)) byId.set(row.id, row);
  }
  return [...byId.values()].toSorted((one, other) => one.seq - other.seq);
}

export function changedAt({ created_at, edited_at, deleted_at }: Message): string {
  return deleted_at ?? edited_at ?? created_at;
}
