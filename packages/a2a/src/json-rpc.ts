import {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  type StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { type ExtensionResponse, isRecord } from "swarmbase/extension";
import { readCard } from "./cards.ts";
import { ProtocolError, renderRpcFault, type RpcId } from "./faults.ts";
import { cancelTask, getTask, listTasks, sendMessage, streamMessage, subscribe } from "./operations.ts";
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from "./push-configs.ts";
import { parseWith, renderPushConfigs, renderTaskList, renderStream, requireFault, retryHeader } from "./render.ts";
import type { Session } from "./target.ts";

/** Methods that answer with one result. */
const METHODS: Readonly<Record<string, (session: Session, params: unknown) => Promise<unknown>>> = {
  async SendMessage(session, params) {
    return { task: Task.toJSON(await sendMessage(session, parseWith(SendMessageRequest, params))) };
  },
  async GetTask(session, params) {
    const { id, historyLength } = parseWith(GetTaskRequest, params);
    return Task.toJSON(await getTask(session, id, historyLength));
  },
  async ListTasks(session, params) {
    return renderTaskList(await listTasks(session, parseWith(ListTasksRequest, params)));
  },
  async CancelTask(session, params) {
    return Task.toJSON(await cancelTask(session, parseWith(GetTaskRequest, params).id));
  },
  async CreateTaskPushNotificationConfig(session, params) {
    const config = parseWith(TaskPushNotificationConfig, params);
    return TaskPushNotificationConfig.toJSON(await createPushConfig(session, config));
  },
  async GetTaskPushNotificationConfig(session, params) {
    const { taskId, id } = parseWith(GetTaskPushNotificationConfigRequest, params);
    return TaskPushNotificationConfig.toJSON(await getPushConfig(session, taskId, id));
  },
  async ListTaskPushNotificationConfigs(session, params) {
    const { taskId } = parseWith(ListTaskPushNotificationConfigsRequest, params);
    return renderPushConfigs(await listPushConfigs(session, taskId));
  },
  async DeleteTaskPushNotificationConfig(session, params) {
    const { taskId, id } = parseWith(DeleteTaskPushNotificationConfigRequest, params);
    await deletePushConfig(session, taskId, id);
    return null;
  },
  GetExtendedAgentCard: (session) => readCard(session.cards, session.target, false),
};

/** Methods that answer with a stream. */
const STREAMS: Readonly<
  Record<string, (session: Session, params: unknown) => AsyncGenerator<StreamResponse, void, undefined>>
> = {
  SendStreamingMessage: (session, params) => streamMessage(session, parseWith(SendMessageRequest, params)),
  SubscribeToTask: (session, params) => subscribe(session, parseWith(GetTaskRequest, params).id),
};

/** The binding JSON-RPC 2.0. An error of the protocol has the status 200, an error of the service its own. */
export async function answerRpc(openSession: () => Session, body: unknown): Promise<ExtensionResponse> {
  let id: RpcId = null;
  try {
    const call = readCall(body);
    id = call.id;
    return await answerCall(openSession(), call);
  } catch (error) {
    const fault = requireFault(error);
    const status = error instanceof ProtocolError ? 200 : fault.status;
    return { status, ...retryHeader(fault), body: renderRpcFault(fault, id) };
  }
}

interface Call {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

async function answerCall(session: Session, { id, method, params }: Call): Promise<ExtensionResponse> {
  const stream = Object.hasOwn(STREAMS, method) ? STREAMS[method] : undefined;
  if (stream !== undefined) {
    const renderFailure = (error: unknown): string =>
      `data: ${JSON.stringify(renderRpcFault(requireFault(error), id))}\n\n`;
    const wrap = (result: unknown): unknown => ({ jsonrpc: "2.0", id, result });
    return renderStream(stream(session, params), { wrap, renderFailure });
  }
  const answer = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (answer !== undefined) return { body: { jsonrpc: "2.0", id, result: await answer(session, params) } };
  throw new ProtocolError("METHOD_NOT_FOUND", "The protocol has no such method");
}

function readCall(body: unknown): Call {
  const call = isRecord(body) ? body : {};
  const { jsonrpc, method, id = null, params = {} } = call;
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isRpcId(id))
    throw new ProtocolError("INVALID_REQUEST", "The body is not a request of JSON-RPC 2.0");
  if (isRecord(params)) return { id, method, params };
  throw new ProtocolError("INVALID_PARAMS", "params must be an object");
}

function isRpcId(id: unknown): id is RpcId {
  return id === null || typeof id === "string" || Number.isInteger(id);
}
