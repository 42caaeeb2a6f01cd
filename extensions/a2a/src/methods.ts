import {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { readCard } from "./cards.ts";
import { ProtocolError } from "./faults.ts";
import { cancelTask, getTask, listTasks, sendMessage, streamMessage, subscribe } from "./operations.ts";
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from "./push-configs.ts";
import type { Updates } from "./stream-task.ts";
import type { Session } from "./target.ts";

type Method = (session: Session, params: unknown) => Promise<unknown> | Updates;

/** The methods of the protocol by their names in JSON-RPC, with parameters and results in its JSON, which both bindings share. */
const METHODS: Readonly<Record<string, Method>> = {
  SendMessage: async (session, params) => ({ task: await sendMessage(session, parse(SendMessageRequest, params)) }),
  SendStreamingMessage: (session, params) => streamMessage(session, parse(SendMessageRequest, params)),
  SubscribeToTask: (session, params) => subscribe(session, parse(GetTaskRequest, params).id),
  async GetTask(session, params) {
    const { id, historyLength } = parse(GetTaskRequest, params);
    return getTask(session, id, historyLength);
  },
  ListTasks: async (session, params) => listTasks(session, parse(ListTasksRequest, params)),
  CancelTask: async (session, params) => cancelTask(session, parse(GetTaskRequest, params).id),
  CreateTaskPushNotificationConfig: async (session, params) =>
    createPushConfig(session, parse(TaskPushNotificationConfig, params)),
  async GetTaskPushNotificationConfig(session, params) {
    const { taskId, id } = parse(GetTaskPushNotificationConfigRequest, params);
    return getPushConfig(session, taskId, id);
  },
  ListTaskPushNotificationConfigs: async (session, params) =>
    listPushConfigs(session, parse(ListTaskPushNotificationConfigsRequest, params).taskId),
  async DeleteTaskPushNotificationConfig(session, params) {
    const { taskId, id } = parse(DeleteTaskPushNotificationConfigRequest, params);
    return deletePushConfig(session, taskId, id);
  },
  GetExtendedAgentCard: ({ cards, target }) => readCard(cards, target),
};

/** A result, or the updates of a stream. */
export async function callMethod(session: Session, name: string, params: unknown): Promise<unknown> {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) throw new ProtocolError("METHOD_NOT_FOUND", "The protocol has no such operation");
  return method(session, params);
}

/** The package of the protocol reads members that it does not check first. */
function parse<T>(codec: { fromJSON(object: unknown): T }, value: unknown): T {
  try {
    return codec.fromJSON(value);
  } catch {
    throw new ProtocolError("INVALID_PARAMS", "The parameters do not have the form of the protocol");
  }
}
