import type { AgentRespondApproveBody, Json, LiveRun, LiveToolCall, ToolQuestion, ToolWait } from "@swarmbase/sdk";
import type { SwarmMessage } from "./swarm-message.ts";

/** A tool call that waits for a decision: of its agent's owner, or of the user who started the run. */
export interface Approval {
  readonly runId: string;
  /** The id of the tool call. */
  readonly id: string;
  readonly toolName: string;
  readonly agentId: string | null;
  readonly agentName: string;
  /** The arguments; undefined if the user may not see them. */
  readonly input: Json | undefined;
  /** What the tool asks; null if the call only needs an approval. With the kind `connect`, only a sign-in answers it. */
  readonly question: ToolQuestion | null;
  /** When the call counts as denied. */
  readonly expiresAt: string | null;
}

/** A tool call that waits for a time or a signal. */
export interface Wait extends ToolWait {
  readonly runId: string;
  /** The id of the tool call. */
  readonly id: string;
  readonly agentId: string | null;
  readonly agentName: string;
  /** When the wait ends by itself. */
  readonly until: string | null;
}

export type Decision = Omit<AgentRespondApproveBody["decisions"][number], "tool_execution_id">;

/** A call can wait again after a decision: the tool asks another question. */
export function keyOfWait({ id, expiresAt, question }: Pick<LiveToolCall, "id" | "expiresAt" | "question">): string {
  return [id, expiresAt, question?.id].join(" ");
}

/** What a component renders. A new object with every change. */
export interface SwarmState {
  /** `loading` until the newest messages are there. */
  readonly status: "loading" | "ready" | "failed";
  /** Why the swarm could not be loaded. */
  readonly error: Error | null;
  /** Stored messages, the oldest first, then those on their way, then those that agents are writing. */
  readonly messages: readonly SwarmMessage[];
  readonly hasOlder: boolean;
  /** The runs under way, and those that ended while the swarm was shown. */
  readonly runs: readonly LiveRun[];
  readonly approvals: readonly Approval[];
  readonly waits: readonly Wait[];
  /** The ids of the users who have the swarm open. */
  readonly present: readonly string[];
  /** False while changes of others do not arrive. They are read when the connection is back. */
  readonly isLive: boolean;
  readonly isResponding: boolean;
}

export interface SendOptions {
  /** Only these agents answer; by default those that are mentioned, or those that the strategy selects. */
  readonly agentIds?: readonly string[];
  readonly replyToId?: string;
  readonly metadata?: Record<string, unknown>;
  /** When the swarm is busy. Default: the setting of the swarm. */
  readonly onConflict?: "enqueue" | "reject" | "interrupt";
  /** False stores the message without asking the agents. Default: true. */
  readonly respond?: boolean;
}

export interface SwarmActions {
  /** Shows the message at once and sends it. Never rejects: a message that could not be sent has the status `failed`. */
  send(content: string, options?: SendOptions): Promise<void>;
  /** Sends a failed message again, by its key. It is stored once, however often it is sent. */
  retry(key: string): Promise<void>;
  /** Removes a failed message, by its key. */
  discard(key: string): void;
  /** Decides a tool call, as the person who may. `content` answers the question of the tool. Rejects with a `FunctionError`. */
  approve(approval: Approval, content?: Decision["content"]): Promise<void>;
  deny(approval: Approval, reason?: string): Promise<void>;
  /** Sends a signal to a run, as the user who started it, or as another member where the wait says so. Rejects with a `FunctionError`. */
  signal(runId: string, name: string, data?: Json): Promise<void>;
  /** Ends a run, or all runs that are under way and do not wait for a time or a signal. Text that was written so far is kept. */
  cancel(runId?: string): Promise<void>;
  loadOlder(): Promise<void>;
  /** Loads the swarm again after an error. */
  reload(): void;
}

export const INITIAL_STATE: SwarmState = {
  status: "loading",
  error: null,
  messages: [],
  hasOlder: false,
  runs: [],
  approvals: [],
  waits: [],
  present: [],
  isLive: false,
  isResponding: false,
};

/** What follows from the runs. */
export function describeRuns(
  runs: readonly LiveRun[],
  decided: ReadonlySet<string>,
): Pick<SwarmState, "approvals" | "waits" | "isResponding"> {
  return {
    approvals: listApprovals(runs, decided),
    waits: listWaits(runs),
    isResponding: runs.some(({ status }) => status === "queued" || status === "running"),
  };
}

function listWaits(runs: readonly LiveRun[]): readonly Wait[] {
  return runs.flatMap(({ id: runId, turns }) =>
    turns.flatMap(({ agentId, agentName, tools }) =>
      tools.flatMap(({ id, status, wait, expiresAt: until }) =>
        status === "waiting" && wait !== null ? [{ runId, id, agentId, agentName, until, ...wait }] : [],
      ),
    ),
  );
}

/** The tool calls that wait for a decision, without those that are being decided. */
function listApprovals(runs: readonly LiveRun[], decided: ReadonlySet<string>): readonly Approval[] {
  return runs.flatMap((run) =>
    run.turns.flatMap((turn) =>
      turn.tools
        .filter((tool) => tool.status === "pending_approval" && !decided.has(keyOfWait(tool)))
        .map(({ id, name, input, question, expiresAt }) => ({
          runId: run.id,
          id,
          toolName: name,
          agentId: turn.agentId,
          agentName: turn.agentName,
          input,
          question,
          expiresAt,
        })),
    ),
  );
}
