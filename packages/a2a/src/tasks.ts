import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from "@a2a-js/sdk";
import {
  FINAL_RUN_STATUSES,
  isUuid,
  type Json,
  type JsonObject,
  type PendingApproval,
  type RunStatus,
} from "@swarmbase/sdk";
import { ProtocolError } from "./faults.ts";
import type { Session } from "./target.ts";

export const STATES = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  running: TaskState.TASK_STATE_WORKING,
  requires_action: TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  // Some agents have answered, and the errors of the others are in the metadata.
  partial: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<RunStatus, TaskState>;

interface RunFault {
  readonly code: string;
  readonly message: string;
}

/** A run as it is read, with what belongs to its task. */
interface RunRow {
  readonly id: string;
  readonly swarm_id: string;
  readonly status: RunStatus;
  readonly stop_reason: string | null;
  readonly error: RunFault | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly question: QuestionRow | null;
  readonly replies: readonly ReplyRow[];
  readonly turns: readonly { readonly status: string; readonly error: RunFault | null }[];
  readonly calls: readonly CallRow[];
}

interface QuestionRow {
  readonly id: string;
  readonly content: string | null;
  readonly client_message_id: string | null;
}

export interface ReplyRow {
  readonly id: string;
  readonly sender_name: string;
  readonly content: string | null;
  readonly data: Json;
}

interface CallRow {
  readonly id: string;
  readonly status: "pending_approval" | "pending_client";
  readonly tool_name: string;
  readonly agent_id: string | null;
  readonly expires_at: string | null;
  readonly payload: { readonly input: JsonObject } | null;
}

const SELECT = [
  "id,swarm_id,status,stop_reason,error,created_at,started_at,finished_at",
  "question:messages!runs_message_id_fkey(id,content,client_message_id)",
  "replies:messages!messages_run_id_fkey(id,sender_name,content,data)",
  "turns:run_turns(status,error)",
  "calls:tool_executions(id,status,tool_name,agent_id,expires_at,payload:tool_execution_payloads(input))",
].join(",");
const PARTS =
  "replies.sender_type=eq.agent&replies.order=seq&turns.order=position&calls.status=in.(pending_approval,pending_client)&calls.order=created_at,id";

export interface TaskView {
  readonly historyLength?: number | undefined;
  readonly hasArtifacts: boolean;
}

interface Page {
  readonly tasks: readonly Task[];
  readonly last: { readonly createdAt: string; readonly id: string } | null;
  readonly total: number | null;
}

/** The runs of the endpoint that satisfy the filters, the newest first. */
export async function readTasks(
  { core, target }: Session,
  filters: readonly string[],
  { limit, view, isCounted = false }: { readonly limit: number; readonly view: TaskView; readonly isCounted?: boolean },
): Promise<Page> {
  const owner =
    target.kind === "swarms"
      ? `swarm_id=eq.${target.id}`
      : // A run that was started for one agent names it.
        `request->agent_ids=cs.${encodeURIComponent(JSON.stringify([target.id.toLowerCase()]))}`;
  const query = [`select=${SELECT}`, PARTS, owner, ...filters, "order=created_at.desc,id.desc", `limit=${limit}`];
  const { body, headers } = await core.rest({
    method: "GET",
    path: `/runs?${query.join("&")}`,
    headers: isCounted ? { prefer: "count=exact" } : {},
  });
  const rows = body as readonly RunRow[];
  const last = rows.at(-1);
  return {
    tasks: rows.map((row) => toTask(row, view)),
    last: last === undefined ? null : { createdAt: last.created_at, id: last.id },
    total: isCounted ? Number(String(headers["content-range"]).split("/")[1]) : null,
  };
}

/** Rejects when the caller cannot see the task, or when it belongs to another endpoint. */
export async function readTask(
  session: Session,
  taskId: string,
  view: TaskView = { hasArtifacts: true },
): Promise<Task> {
  const { tasks } = isUuid(taskId) ? await readTasks(session, [`id=eq.${taskId}`], { limit: 1, view }) : { tasks: [] };
  const [task] = tasks;
  if (task === undefined) throw new ProtocolError("TASK_NOT_FOUND", "The task does not exist, or you cannot see it");
  return task;
}

/** The statuses of runs whose tasks have the state. */
export function statusesOf(state: TaskState): readonly string[] {
  return Object.entries(STATES).flatMap(([status, each]) => (each === state ? [status] : []));
}

/** Whether the task never changes again. */
export function isTerminal({ status }: Task): boolean {
  return FINAL_RUN_STATUSES.some((final) => STATES[final] === status?.state);
}

function toTask(row: RunRow, { historyLength, hasArtifacts }: TaskView): Task {
  const { id, swarm_id: contextId, stop_reason, question, replies } = row;
  const faults = findFaults(row);
  const history = question === null ? [] : [toUserMessage(question, { id, contextId })];
  return {
    id,
    contextId,
    status: toStatus(row, faults),
    artifacts: hasArtifacts ? replies.flatMap((reply) => toArtifact(reply) ?? []) : [],
    history: historyLength === undefined ? history : history.slice(0, historyLength),
    metadata: stop_reason === null ? undefined : { stop_reason, ...(faults.length > 0 && { errors: faults }) },
  };
}

/** The errors of turns, else that of the run. */
function findFaults({ turns, error }: RunRow): readonly RunFault[] {
  const faults = turns.flatMap((turn) => (turn.status === "failed" && turn.error !== null ? [turn.error] : []));
  const shown = faults.length > 0 || error === null ? faults : [error];
  return shown.map(({ code, message }) => ({ code, message }));
}

function toStatus(row: RunRow, faults: readonly RunFault[]): TaskStatus {
  const { id, swarm_id: contextId, status, created_at, started_at, finished_at, calls } = row;
  const timestamp = new Date(finished_at ?? started_at ?? created_at).toISOString();
  const context = { id, contextId };
  if (status === "requires_action") {
    // All calls are decided or have their results: the run continues as soon as the swarm is free.
    if (calls.length === 0) return renderStatus(TaskState.TASK_STATE_WORKING, timestamp);
    return renderStatus(STATES[status], timestamp, toWaitingMessage(calls, context));
  }
  const message = faults.map((fault) => fault.message).join("\n");
  if (status !== "failed" || message === "") return renderStatus(STATES[status], timestamp);
  return renderStatus(STATES[status], timestamp, toAgentMessage(`${id}-error`, [textPart(message)], context));
}

export function renderStatus(state: TaskState, timestamp: string | undefined, message?: Message): TaskStatus {
  return { state, message, timestamp };
}

function toPending({ id, tool_name, agent_id, expires_at, payload }: CallRow): PendingApproval {
  return { tool_execution_id: id, tool_name, agent_id, expires_at, ...(payload !== null && { input: payload.input }) };
}

interface TaskContext {
  readonly id: string;
  readonly contextId: string;
}

const WAITS = [
  ["pending_approval", "Waiting for approval", "pending_approvals"],
  ["pending_client", "Waiting for results of", "pending_client_calls"],
] as const;

function toWaitingMessage(calls: readonly CallRow[], context: TaskContext): Message {
  const parts = WAITS.flatMap(([status, words, member]) => {
    const waiting = calls.filter((call) => call.status === status);
    if (waiting.length === 0) return [];
    const names = waiting.map(({ tool_name }) => tool_name).join(", ");
    return [textPart(`${words}: ${names}`), dataPart({ [member]: waiting.map(toPending) })];
  });
  return toAgentMessage(`${calls[0]?.id}-waiting`, parts, context);
}

function toAgentMessage(messageId: string, parts: Part[], { id, contextId }: TaskContext): Message {
  return {
    messageId,
    contextId,
    taskId: id,
    role: Role.ROLE_AGENT,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

function toUserMessage({ id, content, client_message_id: messageId }: QuestionRow, context: TaskContext): Message {
  const parts = content === null ? [] : [textPart(content)];
  return { ...toAgentMessage(messageId ?? id, parts, context), role: Role.ROLE_USER };
}

/** Null for a reply that was deleted. */
export function toArtifact({ id, sender_name: name, content, data }: ReplyRow): Artifact | null {
  if (content === null) return null;
  return renderArtifact(id, name, data === null ? textPart(content) : dataPart(data));
}

export function renderArtifact(artifactId: string, name: string, part: Part): Artifact {
  return { artifactId, name, description: "", parts: [part], metadata: undefined, extensions: [] };
}

export function textPart(value: string): Part {
  return { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "text/plain" };
}

function dataPart(value: unknown): Part {
  return { content: { $case: "data", value }, metadata: undefined, filename: "", mediaType: "application/json" };
}
