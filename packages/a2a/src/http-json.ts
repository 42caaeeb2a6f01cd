import {
  ListTasksRequest,
  SendMessageRequest,
  type StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import type { ExtensionRequest, ExtensionResponse } from "swarmbase/extension";
import { readCard } from "./cards.ts";
import { ProtocolError, renderHttpFault } from "./faults.ts";
import { cancelTask, getTask, listTasks, sendMessage, streamMessage, subscribe } from "./operations.ts";
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from "./push-configs.ts";
import { parseWith, renderPushConfigs, renderTaskList, renderStream, requireFault, retryHeader } from "./render.ts";
import type { Session } from "./target.ts";

const TYPE = { "content-type": "application/a2a+json" };

/** The binding HTTP+JSON. */
export async function answerHttp(openSession: () => Session, request: ExtensionRequest): Promise<ExtensionResponse> {
  try {
    return await answer(openSession(), request);
  } catch (error) {
    const fault = requireFault(error);
    const { headers } = retryHeader(fault);
    return { status: fault.status, headers: { ...TYPE, ...headers }, body: renderHttpFault(fault) };
  }
}

async function answer(session: Session, request: ExtensionRequest): Promise<ExtensionResponse> {
  const { method, path, params, query, body } = request;
  const { operation = "", task } = params;
  if (task !== undefined && /\/pushNotificationConfigs(?:\/|$)/.test(path)) return answerPush(session, request, task);
  if (task !== undefined) return answerTask(session, method, task, query["historyLength"]);
  switch (`${method} ${operation}`) {
    case "POST message:send":
      return render({ task: Task.toJSON(await sendMessage(session, parseWith(SendMessageRequest, body ?? {}))) });
    case "POST message:stream":
      return openStream(streamMessage(session, parseWith(SendMessageRequest, body ?? {})));
    case "GET tasks":
      return render(renderTaskList(await listTasks(session, readListQuery(query))));
    case "GET extendedAgentCard":
      return render(await readCard(session.cards, session.target, false));
    default:
      throw new ProtocolError("METHOD_NOT_FOUND", "The protocol has no such operation");
  }
}

async function answerPush(
  session: Session,
  { method, params, body }: ExtensionRequest,
  taskId: string,
): Promise<ExtensionResponse> {
  const { config } = params;
  if (method === "POST") {
    const given = parseWith(TaskPushNotificationConfig, body ?? {});
    return render(TaskPushNotificationConfig.toJSON(await createPushConfig(session, { ...given, taskId })));
  }
  if (config === undefined) return render(renderPushConfigs(await listPushConfigs(session, taskId)));
  if (method === "GET") return render(TaskPushNotificationConfig.toJSON(await getPushConfig(session, taskId, config)));
  await deletePushConfig(session, taskId, config);
  return { status: 204 };
}

/** The last segment of the path is the id of a task, with or without the operation: `<id>:cancel`. */
async function answerTask(
  session: Session,
  method: string,
  segment: string,
  historyLength: string | undefined,
): Promise<ExtensionResponse> {
  const [id = "", operation, ...more] = segment.split(":");
  if (operation === "subscribe" && more.length === 0) return openStream(subscribe(session, id));
  if (operation === "cancel" && more.length === 0 && method === "POST")
    return render(Task.toJSON(await cancelTask(session, id)));
  if (operation === undefined && method === "GET")
    return render(Task.toJSON(await getTask(session, id, readNumber(historyLength))));
  throw new ProtocolError("METHOD_NOT_FOUND", "The protocol has no such operation");
}

/** Texts of the query become what the same members are in JSON. */
function readListQuery(query: ExtensionRequest["query"]): ListTasksRequest {
  const { includeArtifacts, pageSize, historyLength, ...texts } = query;
  return parseWith(ListTasksRequest, {
    ...texts,
    pageSize: readNumber(pageSize),
    historyLength: readNumber(historyLength),
    includeArtifacts: includeArtifacts === "true",
  });
}

function readNumber(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}

function render(body: unknown): ExtensionResponse {
  return { headers: TYPE, body };
}

function openStream(events: AsyncGenerator<StreamResponse, void, undefined>): Promise<ExtensionResponse> {
  const renderFailure = (error: unknown): string =>
    `event: error\ndata: ${JSON.stringify(renderHttpFault(requireFault(error)))}\n\n`;
  return renderStream(events, { renderFailure });
}
