import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { attach, readUntilWaiting, type RunStreamEvent } from "@swarmbase/sdk";
import { readRows } from "swarmbase/extension";
import { storePushConfig } from "./push-configs.ts";
import type { Session } from "./target.ts";
import { type Artifact, readTask, type ReplyRow, STATES, type Task, textPart, toArtifact } from "./tasks.ts";

/** The events of a run until it ends or waits. */
type RunEvents = ReturnType<typeof readUntilWaiting>;

interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/** A `StreamResponse` in the JSON of the protocol. */
type Update = { readonly task?: Task; readonly statusUpdate?: object; readonly artifactUpdate?: object };
/** Ends with the task as it is then; null when the run had no events. */
export type Updates = AsyncGenerator<Update, Task | null, undefined>;

/** A reply as far as it was streamed. */
interface Draft {
  readonly name: string;
  text: string;
  /** The client has the artifact, so further text is appended to it. */
  hasBegun: boolean;
  isComplete: boolean;
}

/** Reads a run from its first event. Calls that were answered before are among its events. */
export async function followRun({ core, signal }: Session, runId: string): Promise<RunEvents> {
  const query = `select=id&run_id=eq.${runId}&status=not.in.(pending_approval,pending_client)`;
  const answered = await readRows<{ readonly id: string }>(core, "/tool_executions", query);
  return readUntilWaiting(core, attach(core, runId, { signal }), { answeredIds: answered.map(({ id }) => id) });
}

/** The events of a run as updates of its task: first the task, then its replies as artifacts, last the status with which it ends or waits. */
export async function* streamTask(
  session: Session,
  events: RunEvents,
  /** Stored as soon as the task is known. */
  push?: TaskPushNotificationConfig,
): Updates {
  const drafts = new Map<string, Draft>();
  let ids: TaskIds | null = null;
  for await (const event of events) {
    if (!("swarm_id" in event.data)) continue;
    if (ids === null) {
      const { artifacts: _, metadata: __, ...task } = await readTask(session, event.data.run_id);
      ids = { taskId: task.id, contextId: task.contextId };
      if (push !== undefined) await storePushConfig(session, task, push);
      // As it was when the stream begins: what happened since follows as updates.
      const { timestamp } = task.status;
      yield { task: { ...task, status: { state: STATES.queued, timestamp } } };
    }
    yield* translate(event, drafts, ids);
  }
  if (ids === null) return null;
  const task = await readTask(session, ids.taskId);
  const { status, metadata } = task;
  yield { statusUpdate: { ...ids, status, ...(metadata !== undefined && { metadata }) } };
  return task;
}

function* translate(event: RunStreamEvent, drafts: Map<string, Draft>, ids: TaskIds): Generator<Update> {
  switch (event.type) {
    case "run.queued":
      yield { statusUpdate: { ...ids, status: { state: STATES.queued } } };
      break;
    case "run.started":
      yield { statusUpdate: { ...ids, status: { state: STATES.running } } };
      break;
    case "turn.started":
      drafts.set(event.data.message_id, { name: event.data.agent_name, text: "", hasBegun: false, isComplete: false });
      break;
    case "message.delta":
    case "message.reset":
    case "turn.restarted": {
      const { message_id: artifactId } = event.data;
      const draft = draftOf(drafts, artifactId);
      const isNew = event.type !== "message.delta";
      const text = "delta" in event.data ? event.data.delta : "text" in event.data ? event.data.text : "";
      draft.text = isNew ? text : draft.text + text;
      // There is nothing to take back.
      if (isNew && text === "" && !draft.hasBegun) break;
      const name = draft.name === "" ? {} : { name: draft.name };
      yield renderChunk({ artifactId, ...name, parts: [textPart(text)] }, ids, !isNew && draft.hasBegun);
      draft.hasBegun = true;
      break;
    }
    case "message.created":
      if (event.data.turn_id !== undefined) yield* completeReply(event.data.message, drafts, ids);
      break;
    case "run.completed":
    case "run.partial":
    case "run.failed":
    case "run.cancelled":
      // Events are kept for some time only; the last one has all replies.
      for (const { message } of event.data.responses) yield* completeReply(message, drafts, ids);
      break;
    default:
  }
}

function draftOf(drafts: Map<string, Draft>, messageId: string): Draft {
  const draft = drafts.get(messageId) ?? { name: "", text: "", hasBegun: false, isComplete: false };
  drafts.set(messageId, draft);
  return draft;
}

/** Sends what the client lacks of a reply, and nothing of one that is complete. */
function* completeReply(reply: ReplyRow, drafts: Map<string, Draft>, ids: TaskIds): Generator<Update> {
  const artifact = toArtifact(reply);
  const draft = draftOf(drafts, reply.id);
  if (artifact === null || draft.isComplete) return;
  draft.isComplete = true;
  const isSent = draft.hasBegun && reply.data === null && draft.text === reply.content;
  yield renderChunk(isSent ? { ...artifact, parts: [textPart("")] } : artifact, ids, isSent, true);
}

function renderChunk(artifact: Artifact, ids: TaskIds, append: boolean, isLast = false): Update {
  return {
    artifactUpdate: { ...ids, artifact, ...(append && { append }), ...(isLast && { lastChunk: isLast }) },
  };
}
