import {
  type ListTasksRequest,
  type Message,
  type SendMessageRequest,
  type TaskPushNotificationConfig,
  TaskState,
} from "@a2a-js/sdk";
import { invokeFunction, isUuid, readUntilWaiting, respond, type RespondBody } from "@swarmbase/sdk";
import { ProtocolError } from "./faults.ts";
import { storePushConfig, tryPushConfig } from "./push-configs.ts";
import { readInput, readText, requireOutputMode } from "./read-message.ts";
import { followRun, streamTask, type Updates } from "./stream-task.ts";
import type { Session } from "./target.ts";
import { isTerminal, readTask, readTasks, SIGN_IN_STATE, STATES, type Task } from "./tasks.ts";

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
  const sending = await checkSending(session, request);
  const updates = runMessage(session, sending);
  let step = await updates.next();
  while (step.done !== true && !sending.isBackground) step = await updates.next();
  if (step.done === true && step.value !== null) return limitHistory(step.value, sending);
  // A run goes on without its readers.
  await updates.return(null);
  const { id = sending.message.taskId } = (step.done === true ? null : step.value.task) ?? {};
  return limitHistory(await readTask(session, id), sending);
}

export async function* streamMessage(session: Session, request: SendMessageRequest): Updates {
  return yield* runMessage(session, await checkSending(session, request));
}

async function* runMessage(session: Session, { message, push }: Sending): Updates {
  const { core, signal } = session;
  if (message.taskId !== "") {
    const { id } = await continueTask(session, message, push);
    return yield* streamTask(session, await followRun(session, id));
  }
  const events = readUntilWaiting(core, respond(core, startBody(session, message), { signal }));
  return yield* streamTask(session, events, push);
}

/** The updates of a task that has not ended, from its beginning. */
export async function* subscribe(session: Session, taskId: string): Updates {
  const task = await readTask(session, taskId);
  if (isTerminal(task)) throw new ProtocolError("UNSUPPORTED_OPERATION", "The task has ended");
  return yield* streamTask(session, await followRun(session, task.id));
}

export async function getTask(session: Session, taskId: string, historyLength: number | undefined): Promise<Task> {
  return limitHistory(await readTask(session, taskId), { historyLength });
}

export async function cancelTask(session: Session, taskId: string): Promise<Task> {
  const { core, signal } = session;
  const task = await readTask(session, taskId);
  if (isTerminal(task)) throw new ProtocolError("TASK_NOT_CANCELABLE", "The task has ended");
  await invokeFunction(core, "agent-respond", { action: "cancel", run_id: task.id }, { signal });
  return readTask(session, task.id);
}

/** Lists and numbers are sent when they are empty, too: the protocol requires them. */
export async function listTasks(session: Session, request: ListTasksRequest): Promise<object> {
  const { pageSize = DEFAULT_PAGE, contextId, status, statusTimestampAfter, includeArtifacts = false } = request;
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE)
    throw new ProtocolError("INVALID_PARAMS", `pageSize must be a whole number from 1 to ${MAX_PAGE}`);
  if (status === TaskState.UNRECOGNIZED) throw new ProtocolError("INVALID_PARAMS", "status is not known");
  if (contextId !== "" && !isUuid(contextId)) throw new ProtocolError("INVALID_PARAMS", "contextId is not known");
  const position = request.pageToken === "" ? null : parsePageToken(request.pageToken);
  const filters = [
    // The tasks of an agent are those of the caller. A swarm is shared by its members.
    ...(session.target.kind === "agents" ? [`user_id=eq.${session.caller.userId}`] : []),
    ...(contextId === "" ? [] : [`swarm_id=eq.${contextId}`]),
    ...(status === TaskState.TASK_STATE_UNSPECIFIED ? [] : [filterByState(status)]),
    ...(statusTimestampAfter === undefined ? [] : [filterByTime(statusTimestampAfter)]),
    ...(position === null ? [] : [position.filter]),
  ];
  const page = await readTasks(session, filters, {
    limit: pageSize,
    isCounted: position === null,
    ...(WAITING.includes(status) && { waitsForSignIn: status === TaskState[SIGN_IN_STATE] }),
  });
  const { tasks, last } = page;
  const totalSize = page.total ?? position?.total ?? 0;
  return {
    tasks: tasks.map((task) => {
      const { artifacts = [], ...rest } = limitHistory(task, request);
      return { ...rest, ...(includeArtifacts && artifacts.length > 0 && { artifacts }) };
    }),
    nextPageToken: last === undefined || tasks.length < pageSize ? "" : renderPageToken(last, totalSize),
    pageSize,
    totalSize,
  };
}

async function checkSending(session: Session, { message, configuration }: SendMessageRequest): Promise<Sending> {
  if (message === undefined) throw new ProtocolError("INVALID_PARAMS", "message is required");
  if (message.messageId === "") throw new ProtocolError("INVALID_PARAMS", "message.messageId is required");
  if (configuration !== undefined) requireOutputMode(configuration);
  const { taskPushNotificationConfig: push, returnImmediately = false, historyLength } = configuration ?? {};
  checkLength(historyLength);
  // A task that exists stores it before it continues.
  if (push !== undefined && message.taskId === "") await tryPushConfig(session, push);
  return { message, isBackground: returnImmediately, historyLength, push };
}

/** Gives a task that waits its decisions and results. */
async function continueTask(
  session: Session,
  message: Message,
  push: TaskPushNotificationConfig | undefined,
): Promise<Task> {
  const { core, signal } = session;
  const { taskId, contextId } = message;
  const task = await readTask(session, taskId);
  if (contextId !== "" && contextId.toLowerCase() !== task.contextId)
    throw new ProtocolError("INVALID_PARAMS", "The task belongs to another context");
  const { state } = task.status;
  if (state !== STATES.requires_action && state !== SIGN_IN_STATE)
    throw new ProtocolError("UNSUPPORTED_OPERATION", "The task does not wait for a message: send one without taskId");
  const bodies = readInput(message);
  // Before the task continues, so that none of its changes is missed.
  if (push !== undefined) await storePushConfig(session, task, push);
  for (const body of bodies) await invokeFunction(core, "agent-respond", { ...body, run_id: task.id }, { signal });
  return task;
}

/** A message that is sent again has the same id, so that it starts no second run. */
function startBody({ target }: Session, message: Message): RespondBody {
  const { contextId, messageId, metadata } = message;
  const common = { message: readText(message), client_message_id: messageId, ...(metadata && { metadata }) };
  if (target.kind === "swarms") {
    if (contextId !== "" && contextId.toLowerCase() !== target.id)
      throw new ProtocolError("INVALID_PARAMS", "The context of this endpoint is its swarm");
    return { ...common, swarm_id: target.id };
  }
  return contextId === ""
    ? { ...common, agent_id: target.id }
    : { ...common, swarm_id: contextId, agent_ids: [target.id] };
}

function checkLength(length: number | undefined): void {
  if (length !== undefined && (!Number.isInteger(length) || length < 0))
    throw new ProtocolError("INVALID_PARAMS", "historyLength must be a whole number from 0");
}

/** The history of a task is the message that started it. */
function limitHistory(task: Task, { historyLength }: { readonly historyLength?: number | undefined }): Task {
  checkLength(historyLength);
  const { history: _, ...rest } = task;
  return historyLength === 0 ? rest : task;
}

const WAITING: readonly TaskState[] = [TaskState[SIGN_IN_STATE], TaskState[STATES.requires_action]];

function filterByState(state: TaskState): string {
  const wanted = WAITING.includes(state) ? TaskState[STATES.requires_action] : state;
  const statuses = Object.entries(STATES).flatMap(([status, each]) => (TaskState[each] === wanted ? [status] : []));
  return `status=in.(${statuses.join(",")})`;
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

/** The last task of a page, and the number of all tasks, which was counted for the first page. */
const PAGE_TOKEN = /^([\d:.T+-]{19,40}) (\S+) (\d{1,15})$/;

function renderPageToken(
  { created_at, id }: { readonly created_at: string; readonly id: string },
  total: number,
): string {
  return Buffer.from(`${created_at} ${id} ${total}`).toString("base64url");
}

function parsePageToken(token: string): { readonly filter: string; readonly total: number } {
  const [, createdAt, id = "", total] = PAGE_TOKEN.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (!isUuid(id)) throw new ProtocolError("INVALID_PARAMS", "pageToken is not one of this service");
  const time = encodeURIComponent(`"${createdAt}"`);
  return { filter: `or=(created_at.lt.${time},and(created_at.eq.${time},id.lt.${id}))`, total: Number(total) };
}
