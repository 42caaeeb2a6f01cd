import { type Artifact, type StreamResponse, TaskState } from "@a2a-js/sdk";
import type { RunStreamEvent } from "@swarmbase/sdk";
import type { RunEvents } from "./follow-run.ts";
import type { Session } from "./target.ts";
import { readTask, renderArtifact, renderStatus, type ReplyRow, textPart, toArtifact } from "./tasks.ts";

/** A reply as far as it was streamed. */
interface Draft {
  readonly name: string;
  text: string;
  /** The client has the artifact, so further text is appended to it. */
  hasBegun: boolean;
  isComplete: boolean;
}

interface TaskIds {
  readonly taskId: string;
  readonly contextId: string;
}

/** The events of a run as updates of its task: first the task, then its replies as artifacts, last the status with which it ends or waits. */
export async function* streamTask(
  session: Session,
  events: RunEvents,
  /** Called as soon as the task is known. */
  onTask: (ids: TaskIds) => Promise<void> = async () => {},
): AsyncGenerator<StreamResponse, void, undefined> {
  const drafts = new Map<string, Draft>();
  let ids: TaskIds | null = null;
  for await (const event of events) {
    if (!("swarm_id" in event.data)) continue;
    const { run_id: taskId, swarm_id: contextId } = event.data;
    if (ids === null) {
      ids = { taskId, contextId };
      await onTask(ids);
      yield await renderBeginning(session, taskId);
    }
    yield* translate(event, drafts, ids);
  }
  if (ids === null) return;
  const { status, metadata } = await readTask(session, ids.taskId, { hasArtifacts: false });
  yield { payload: { $case: "statusUpdate", value: { ...ids, status, metadata } } };
}

/** The task as it was when the stream begins: what happened since follows as updates. */
async function renderBeginning(session: Session, taskId: string): Promise<StreamResponse> {
  const task = await readTask(session, taskId, { hasArtifacts: false });
  const status = renderStatus(TaskState.TASK_STATE_SUBMITTED, task.status?.timestamp);
  return { payload: { $case: "task", value: { ...task, status, metadata: undefined } } };
}

function* translate(event: RunStreamEvent, drafts: Map<string, Draft>, ids: TaskIds): Generator<StreamResponse> {
  switch (event.type) {
    case "run.queued":
      yield renderState(TaskState.TASK_STATE_SUBMITTED, ids);
      break;
    case "run.started":
      yield renderState(TaskState.TASK_STATE_WORKING, ids);
      break;
    case "turn.started":
      drafts.set(event.data.message_id, { name: event.data.agent_name, text: "", hasBegun: false, isComplete: false });
      break;
    case "message.delta": {
      const { message_id: id, delta } = event.data;
      const draft = draftOf(drafts, id);
      yield renderChunk(renderArtifact(id, draft.name, textPart(delta)), ids, { append: draft.hasBegun });
      draft.hasBegun = true;
      draft.text += delta;
      break;
    }
    case "message.reset": {
      const { message_id: id } = event.data;
      const draft = draftOf(drafts, id);
      draft.text = "";
      if (draft.hasBegun) yield renderChunk(renderArtifact(id, draft.name, textPart("")), ids, { append: false });
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
function* completeReply(reply: ReplyRow, drafts: Map<string, Draft>, ids: TaskIds): Generator<StreamResponse> {
  const artifact = toArtifact(reply);
  const draft = draftOf(drafts, reply.id);
  if (artifact === null || draft.isComplete) return;
  draft.isComplete = true;
  const isSent = draft.hasBegun && reply.data === null && draft.text === reply.content;
  const chunk = isSent ? { ...artifact, parts: [textPart("")] } : artifact;
  yield renderChunk(chunk, ids, { append: isSent, isLast: true });
}

function renderChunk(
  artifact: Artifact,
  ids: TaskIds,
  { append, isLast = false }: { readonly append: boolean; readonly isLast?: boolean },
): StreamResponse {
  const value = { ...ids, artifact, append, lastChunk: isLast, metadata: undefined };
  return { payload: { $case: "artifactUpdate", value } };
}

function renderState(state: TaskState, ids: TaskIds): StreamResponse {
  const status = renderStatus(state, undefined);
  return { payload: { $case: "statusUpdate", value: { ...ids, status, metadata: undefined } } };
}
