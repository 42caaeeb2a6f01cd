import type { TaskState } from "@a2a-js/sdk";
import {
  type EventFault,
  FINAL_RUN_STATUSES,
  invokeFunction,
  isUuid,
  type Json,
  type JsonObject,
  type PendingWait,
  type RunStatus,
  type ToolQuestion,
} from "@swarmbase/sdk";
import { type TableRow, toExtensionError } from "swarmbase/extension";
import { ProtocolError } from "./faults.ts";
import type { Session } from "./target.ts";

type State = keyof typeof TaskState;

export const STATES = {
  queued: "TASK_STATE_SUBMITTED",
  running: "TASK_STATE_WORKING",
  requires_action: "TASK_STATE_INPUT_REQUIRED",
  // For a time or a signal, which is not a message of the client.
  waiting: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  // Some agents have answered, and the errors of the others are in the metadata.
  partial: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  cancelled: "TASK_STATE_CANCELED",
} as const satisfies Record<RunStatus, State>;

/** Of a task that waits, among others, until its user has signed in somewhere. */
export const SIGN_IN_STATE = "TASK_STATE_AUTH_REQUIRED";

/** A task in the JSON of the protocol, in which members without a value are absent. */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

interface TaskStatus {
  readonly state: State;
  readonly message?: Message;
  readonly timestamp: string;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly parts: readonly Part[];
}

interface Message {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly role: "ROLE_USER" | "ROLE_AGENT";
  readonly parts: readonly Part[];
}

type Part =
  | { readonly text: string; readonly mediaType: "text/plain" }
  | { readonly data: Json; readonly mediaType: "application/json" };

type RunFault = Pick<EventFault, "code" | "message">;
export type ReplyRow = TableRow<"messages", "id" | "sender_name" | "content" | "data">;

type CallRow = TableRow<"tool_executions", "status" | "tool_name" | "agent_id" | "expires_at"> & {
  readonly tool_execution_id: string;
  readonly payload: TableRow<"tool_execution_payloads", "input" | "question"> | null;
};
type ConnectUrl = Session["connectUrl"];

/** A run as it is read, with what belongs to its task. */
type RunRow = TableRow<
  "runs",
  "id" | "swarm_id" | "status" | "stop_reason" | "error" | "pending_waits" | "created_at" | "started_at" | "finished_at"
> & {
  readonly question: TableRow<"messages", "id" | "content" | "client_message_id"> | null;
  readonly replies: readonly ReplyRow[];
  readonly turns: readonly { readonly error: RunFault }[];
  readonly calls: readonly CallRow[];
};

const SELECT = [
  "id,swarm_id,status,stop_reason,error,pending_waits,created_at,started_at,finished_at",
  "question:messages!runs_message_id_fkey(id,content,client_message_id)",
  "replies:messages!messages_run_id_fkey(id,sender_name,content,data)",
  "turns:run_turns(error)",
  "calls:tool_executions(tool_execution_id:id,status,tool_name,agent_id,expires_at,payload:tool_execution_payloads(input,question))",
].join(",");
const FILTERS = [
  "replies.sender_type=eq.agent&replies.order=seq",
  "turns.status=eq.failed&turns.error=not.is.null&turns.order=position",
  "calls.status=in.(pending_approval,pending_client)&calls.order=created_at,id",
].join("&");

/** Tasks by whether they wait for a sign-in. */
const SIGN_IN_EMBED = "connecting:tool_executions(payload:tool_execution_payloads!inner())";
const SIGN_IN_FILTERS = "connecting.status=eq.pending_approval&connecting.payload.question->>kind=eq.connect";

interface PageOptions {
  readonly limit: number;
  readonly isCounted: boolean;
  /** Only tasks that wait for a sign-in, or only those that do not. */
  readonly waitsForSignIn?: boolean;
}

interface Page {
  readonly tasks: readonly Task[];
  readonly last: Pick<RunRow, "id" | "created_at"> | undefined;
  /** Null unless it was asked for. */
  readonly total: number | null;
}

/** The runs of the endpoint that satisfy the filters, the newest first. */
export async function readTasks(
  { core, target, connectUrl }: Session,
  filters: readonly string[],
  { limit, isCounted, waitsForSignIn }: PageOptions,
): Promise<Page> {
  const owner =
    target.kind === "swarms"
      ? `swarm_id=eq.${target.id}`
      : // A run that was started for one agent names it.
        `request->agent_ids=cs.${encodeURIComponent(JSON.stringify([target.id]))}`;
  const signIns =
    waitsForSignIn === undefined ? [] : [SIGN_IN_FILTERS, `connecting=${waitsForSignIn ? "not." : ""}is.null`];
  const select = [SELECT, ...(signIns.length > 0 ? [SIGN_IN_EMBED] : [])].join(",");
  const order = ["order=created_at.desc,id.desc", `limit=${limit}`];
  const query = [`select=${select}`, FILTERS, owner, ...filters, ...signIns, ...order];
  const { body, headers } = await core.rest({
    method: "GET",
    path: `/runs?${query.join("&")}`,
    headers: isCounted ? { prefer: "count=exact" } : {},
  });
  const rows = await Promise.all((body as readonly RunRow[]).map((row) => addFault(core, row)));
  const total = isCounted ? Number(String(headers["content-range"]).split("/")[1]) : null;
  return { tasks: rows.map((row) => toTask(row, connectUrl)), last: rows.at(-1), total };
}

/** Whoever asks an agent of somebody else does not read its turns: the service says why the run failed. */
async function addFault(core: Session["core"], row: RunRow): Promise<RunRow> {
  if (row.status !== "failed" || row.error !== null || row.turns.length > 0 || !core.hasScope("run")) return row;
  try {
    await invokeFunction(core, "agent-respond", { action: "attach", run_id: row.id });
    return row;
  } catch (error) {
    const fault = toExtensionError(error);
    if (fault === null) throw error;
    return { ...row, turns: [{ error: fault }] };
  }
}

/** Rejects when the caller cannot see the task, or when it belongs to another endpoint. */
export async function readTask(session: Session, taskId: string): Promise<Task> {
  const page = { limit: 1, isCounted: false };
  const { tasks } = isUuid(taskId) ? await readTasks(session, [`id=eq.${taskId}`], page) : { tasks: [] };
  const [task] = tasks;
  if (task === undefined) throw new ProtocolError("TASK_NOT_FOUND", "The task does not exist, or you cannot see it");
  return task;
}

/** Whether the task never changes again. */
export function isTerminal({ status }: Task): boolean {
  return FINAL_RUN_STATUSES.some((final) => STATES[final] === status.state);
}

function toTask(row: RunRow, connectUrl: ConnectUrl): Task {
  const { id, swarm_id: contextId, stop_reason, question, replies } = row;
  const faults = findFaults(row);
  const artifacts = replies.flatMap((reply) => toArtifact(reply) ?? []);
  return {
    id,
    contextId,
    status: toStatus(row, faults, connectUrl),
    ...(artifacts.length > 0 && { artifacts }),
    ...(question !== null && { history: [toQuestion(question, row)] }),
    ...(stop_reason !== null && { metadata: { stop_reason, ...(faults.length > 0 && { errors: faults }) } }),
  };
}

/** The errors of turns, else that of the run. */
function findFaults({ turns, error }: RunRow): { code: string; message: string }[] {
  const faults = turns.length > 0 || error === null ? turns.map((turn) => turn.error) : [error];
  return faults.map(({ code, message }) => ({ code, message }));
}

function toStatus(row: RunRow, faults: readonly RunFault[], connectUrl: ConnectUrl): TaskStatus {
  const { id, status, created_at, started_at, finished_at, calls } = row;
  const timestamp = new Date(finished_at ?? started_at ?? created_at).toISOString();
  if (status === "requires_action") {
    // All calls are decided or have their results: the run continues as soon as the swarm is free.
    if (calls.length === 0) return { state: STATES.running, timestamp };
    const waiting = calls.map((call) => ({ call, url: connectUrl(toPending(call)) }));
    const message = toMessage(row, `${calls[0]?.tool_execution_id}-waiting`, describeWaiting(waiting));
    return { state: waiting.some(({ url }) => url !== null) ? SIGN_IN_STATE : STATES[status], message, timestamp };
  }
  const [wait] = status === "waiting" ? (row.pending_waits ?? []) : [];
  if (wait !== undefined) {
    const waits = { pending_waits: row.pending_waits } as unknown as Json;
    const parts = [textPart(describeWait(wait)), dataPart(waits)];
    return { state: STATES.waiting, message: toMessage(row, `${wait.tool_execution_id}-waiting`, parts), timestamp };
  }
  const text = faults.map((fault) => fault.message).join("\n");
  if (status !== "failed" || text === "") return { state: STATES[status], timestamp };
  return { state: STATES[status], message: toMessage(row, `${id}-error`, [textPart(text)]), timestamp };
}

const WAITS = [
  ["pending_approval", "Waiting for approval", "pending_approvals"],
  ["pending_client", "Waiting for results of", "pending_client_calls"],
] as const;

type PendingCall = Omit<CallRow, "status" | "payload"> & { readonly input?: Json; readonly question?: ToolQuestion };

function toPending({ status: _, payload, ...call }: CallRow): PendingCall {
  const { input, question } = payload ?? {};
  return {
    ...call,
    ...(input !== undefined && { input }),
    ...(question && { question: question as unknown as ToolQuestion }),
  };
}

function describeWait({ kind, name, until }: PendingWait): string {
  if (kind === "sub_task") return "Waiting for a sub-task";
  return kind === "event" ? `Waiting for the signal ${name}, at most until ${until}` : `Waiting until ${until}`;
}

interface WaitingCall {
  readonly call: CallRow;
  /** Where the user signs in. */
  readonly url: string | null;
}

function describeWaiting(calls: readonly WaitingCall[]): readonly Part[] {
  return WAITS.flatMap(([awaited, words, member]) => {
    const waiting = calls.filter(({ call }) => call.status === awaited);
    if (waiting.length === 0) return [];
    const pending = waiting.map(({ call }) => toPending(call));
    const names = pending.flatMap(({ tool_name: name, question }) => (question === undefined ? [name] : []));
    const texts = waiting.flatMap(({ call, url }) => {
      const { tool_name: name, question } = toPending(call);
      return question === undefined ? [] : [`${name}: ${question.message}${url === null ? "" : ` ${url}`}`];
    });
    const text = [...(names.length > 0 ? [`${words}: ${names.join(", ")}`] : []), ...texts].join("\n");
    return [textPart(text), dataPart({ [member]: pending } as unknown as Json)];
  });
}

function toMessage(row: RunRow, messageId: string, parts: readonly Part[]): Message {
  return { messageId, contextId: row.swarm_id, taskId: row.id, role: "ROLE_AGENT", parts };
}

function toQuestion(question: NonNullable<RunRow["question"]>, row: RunRow): Message {
  const { id, content, client_message_id: clientId } = question;
  // A question without content was deleted.
  const message = toMessage(row, clientId ?? id, content === null ? [] : [textPart(content)]);
  return { ...message, role: "ROLE_USER" };
}

/** Null for a reply that was deleted. */
export function toArtifact({ id, sender_name: name, content, data }: ReplyRow): Artifact | null {
  if (content === null) return null;
  return { artifactId: id, name, parts: [data === null ? textPart(content) : dataPart(data)] };
}

export function textPart(text: string): Part {
  return { text, mediaType: "text/plain" };
}

function dataPart(data: Json): Part {
  return { data, mediaType: "application/json" };
}
