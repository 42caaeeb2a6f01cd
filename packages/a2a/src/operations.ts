import {
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  TaskState,
} from "@a2a-js/sdk";
import { invokeFunction, isUuid, readUntilWaiting, respond, type RespondBody } from "@swarmbase/sdk";
import { ProtocolError } from "./faults.ts";
import { followRun, type RunEvents } from "./follow-run.ts";
import { checkPushConfig, storePushConfig } from "./push-configs.ts";
import { readInput, readText, requireOutputMode } from "./read-message.ts";
import { streamTask } from "./stream-task.ts";
import type { Session } from "./target.ts";
import { isTerminal, readTask, readTasks, statusesOf } from "./tasks.ts";

const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

/** A checked request to send a message. */
interface Sending {
  readonly message: Message;
  readonly isBackground: boolean;
  readonly historyLength: number | undefined;
  readonly push: TaskPushNotificationConfig | undefined;
}

/** Starts a task, or continues one that waits. Returns when the task has ended or waits, unless the client wants it at once. */
export async function sendMessage(session: Session, request: SendMessageRequest): Promise<Task> {
  const { message, isBackground, historyLength, push } = checkSending(request);
  const { core, signal } = session;
  const view = { historyLength: checkLength(historyLength), hasArtifacts: true };
  if (isBackground && message.taskId === "") {
    const body = { ...startBody(session, message), background: true };
    const { run_id: runId } = await invokeFunction(core, "agent-respond", body, { signal });
    const task = await readTask(session, runId, view);
    await openNotifier(session, push)({ taskId: runId, contextId: task.contextId });
    return task;
  }
  const events = await openRun(session, message, push);
  if (isBackground) return readTask(session, message.taskId, view);
  const notify = openNotifier(session, push);
  let runId = message.taskId;
  for await (const event of events) {
    if (!("swarm_id" in event.data)) continue;
    runId = event.data.run_id;
    await notify({ taskId: runId, contextId: event.data.swarm_id });
  }
  return readTask(session, runId, view);
}

export async function* streamMessage(
  session: Session,
  request: SendMessageRequest,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { message, push } = checkSending(request);
  yield* streamTask(session, await openRun(session, message, push), openNotifier(session, push));
}

/** The updates of a task that has not ended, from its beginning. */
export async function* subscribe(session: Session, taskId: string): AsyncGenerator<StreamResponse, void, undefined> {
  const task = await readTask(session, taskId, { hasArtifacts: false });
  if (isTerminal(task)) throw new ProtocolError("UNSUPPORTED_OPERATION", "The task has ended");
  yield* streamTask(session, await followRun(session, task.id));
}

export function getTask(session: Session, taskId: string, historyLength: number | undefined): Promise<Task> {
  return readTask(session, taskId, { historyLength: checkLength(historyLength), hasArtifacts: true });
}

export async function cancelTask(session: Session, taskId: string): Promise<Task> {
  const { core, signal } = session;
  const task = await readTask(session, taskId, { hasArtifacts: false });
  if (isTerminal(task)) throw new ProtocolError("TASK_NOT_CANCELABLE", "The task has ended");
  await invokeFunction(core, "agent-respond", { action: "cancel", run_id: task.id }, { signal });
  return readTask(session, task.id);
}

export async function listTasks(session: Session, request: ListTasksRequest): Promise<ListTasksResponse> {
  const { pageSize = DEFAULT_PAGE, contextId, status, statusTimestampAfter, includeArtifacts = false } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE)
    throw new ProtocolError("INVALID_PARAMS", `pageSize must be a whole number from 1 to ${MAX_PAGE}`);
  if (status === TaskState.UNRECOGNIZED) throw new ProtocolError("INVALID_PARAMS", "status is not known");
  if (contextId !== "" && !isUuid(contextId)) throw new ProtocolError("INVALID_PARAMS", "contextId is not known");
  const position = request.pageToken === "" ? null : parsePageToken(request.pageToken);
  const filters = [
    // The tasks of an agent are those of the caller. A swarm is shared by its members.
    ...(session.target.kind === "agents" ? [`user_id=eq.${session.userId}`] : []),
    ...(contextId === "" ? [] : [`swarm_id=eq.${contextId}`]),
    ...(status === TaskState.TASK_STATE_UNSPECIFIED ? [] : [`status=in.(${statusesOf(status).join(",")})`]),
    ...(statusTimestampAfter === undefined ? [] : [filterByTime(statusTimestampAfter)]),
    ...(position === null ? [] : [filterAfter(position)]),
  ];
  const view = { historyLength: checkLength(request.historyLength), hasArtifacts: includeArtifacts };
  const page = await readTasks(session, filters, { limit: pageSize, view, isCounted: position === null });
  const total = page.total ?? position?.total ?? 0;
  const hasMore = page.tasks.length === pageSize && page.last !== null;
  return {
    tasks: [...page.tasks],
    nextPageToken: hasMore && page.last !== null ? renderPageToken({ ...page.last, total }) : "",
    pageSize,
    totalSize: total,
  };
}

function checkSending({ message, configuration }: SendMessageRequest): Sending {
  if (message === undefined) throw new ProtocolError("INVALID_PARAMS", "message is required");
  if (message.messageId === "") throw new ProtocolError("INVALID_PARAMS", "message.messageId is required");
  if (configuration !== undefined) requireOutputMode(configuration);
  const push = configuration?.taskPushNotificationConfig;
  if (push !== undefined) checkPushConfig(push);
  const isBackground = configuration?.returnImmediately ?? false;
  return { message, isBackground, historyLength: configuration?.historyLength, push };
}

/** Stores the configuration of a request once, as soon as its task is known. */
function openNotifier(
  session: Session,
  push: TaskPushNotificationConfig | undefined,
): (ids: { readonly taskId: string; readonly contextId: string }) => Promise<void> {
  let left = push;
  return async ({ taskId: id, contextId }) => {
    const config = left;
    left = undefined;
    if (config !== undefined) await storePushConfig(session, { id, contextId }, config);
  };
}

/** Opens the stream of the run: a new one, or one that decisions and results continue. */
async function openRun(
  session: Session,
  message: Message,
  push: TaskPushNotificationConfig | undefined,
): Promise<RunEvents> {
  const { core, signal } = session;
  const { taskId, contextId } = message;
  if (taskId === "") return readUntilWaiting(core, respond(core, startBody(session, message), { signal }));
  const task = await readTask(session, taskId, { hasArtifacts: false });
  if (contextId !== "" && contextId.toLowerCase() !== task.contextId)
    throw new ProtocolError("INVALID_PARAMS", "The task belongs to another context");
  if (task.status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED)
    throw new ProtocolError("UNSUPPORTED_OPERATION", "The task does not wait for a message: send one without taskId");
  const { decisions, results } = readInput(message);
  // Before the task continues, so that none of its changes is missed.
  if (push !== undefined) await storePushConfig(session, task, push);
  const run = { run_id: task.id };
  if (decisions.length > 0)
    await invokeFunction(core, "agent-respond", { ...run, action: "approve", decisions: [...decisions] }, { signal });
  if (results.length > 0)
    await invokeFunction(
      core,
      "agent-respond",
      { ...run, action: "submit_tool_results", results: [...results] },
      { signal },
    );
  return followRun(session, task.id);
}

/** A message that is sent again has the same id, so that it starts no second run. */
function startBody({ target }: Session, message: Message): RespondBody {
  const { contextId, messageId, metadata } = message;
  const common = { message: readText(message), client_message_id: messageId, ...(metadata && { metadata }) };
  if (target.kind === "swarms") {
    if (contextId !== "" && contextId.toLowerCase() !== target.id.toLowerCase())
      throw new ProtocolError("INVALID_PARAMS", "The context of this endpoint is its swarm");
    return { ...common, swarm_id: target.id };
  }
  return contextId === ""
    ? { ...common, agent_id: target.id }
    : { ...common, swarm_id: contextId, agent_ids: [target.id] };
}

function checkLength(length: number | undefined): number | undefined {
  if (length === undefined || (Number.isInteger(length) && length >= 0)) return length;
  throw new ProtocolError("INVALID_PARAMS", "historyLength must be a whole number from 0");
}

/** The time of the status is that of the end, else of the start, else of the creation. */
function filterByTime(text: string): string {
  const after = new Date(text);
  if (Number.isNaN(after.getTime())) throw new ProtocolError("INVALID_PARAMS", "statusTimestampAfter is not a time");
  const time = `"${after.toISOString()}"`;
  const parts = [
    `finished_at.gte.${time}`,
    `and(finished_at.is.null,started_at.gte.${time})`,
    `and(finished_at.is.null,started_at.is.null,created_at.gte.${time})`,
  ];
  return `or=(${parts.join(",")})`;
}

/** The last task of a page. The number of all tasks was counted for the first page. */
interface Position {
  readonly createdAt: string;
  readonly id: string;
  readonly total: number;
}

function filterAfter({ createdAt, id }: Position): string {
  const time = encodeURIComponent(`"${createdAt}"`);
  return `or=(created_at.lt.${time},and(created_at.eq.${time},id.lt.${id}))`;
}

function renderPageToken({ createdAt, id, total }: Position): string {
  return Buffer.from(JSON.stringify([createdAt, id, total])).toString("base64url");
}

function parsePageToken(token: string): Position {
  try {
    const [createdAt, id, total] = JSON.parse(Buffer.from(token, "base64url").toString()) as unknown[];
    if (
      typeof createdAt === "string" &&
      /^[\d:.T+-]{19,40}$/.test(createdAt) &&
      isUuid(String(id)) &&
      Number.isInteger(total)
    )
      return { createdAt, id: String(id), total: Number(total) };
  } catch {
    // Falls through to the error below.
  }
  throw new ProtocolError("INVALID_PARAMS", "pageToken is not one of this service");
}
