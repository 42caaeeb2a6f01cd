import {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { type ExtensionRequest, type ExtensionResponse, isRecord, openEventStream } from "swarmbase/extension";
import { readCard } from "./cards.ts";
import { type Fault, ProtocolError, renderHttpFault, renderRpcFault, type RpcId, toFault } from "./faults.ts";
import { cancelTask, getTask, listTasks, sendMessage, streamMessage, subscribe } from "./operations.ts";
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from "./push-configs.ts";
import type { Updates } from "./stream-task.ts";
import type { Session } from "./target.ts";

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

/** How a binding writes results and errors. */
interface Form {
  readonly headers: Readonly<Record<string, string>>;
  /** Before the data of a frame that reports an error. */
  readonly failureEvent: string;
  statusOf(fault: Fault, error: unknown): number;
  renderResult(result: unknown): unknown;
  renderFault(fault: Fault): unknown;
}

/** JSON-RPC 2.0. An error of the protocol has the status 200, an error of the service its own. */
export async function answerRpc(openSession: () => Session, request: ExtensionRequest): Promise<ExtensionResponse> {
  let id: RpcId = null;
  const form: Form = {
    headers: {},
    failureEvent: "",
    statusOf: ({ status }, error) => (error instanceof ProtocolError ? 200 : status),
    renderResult: (result) => ({ jsonrpc: "2.0", id, result }),
    renderFault: (fault) => renderRpcFault(fault, id),
  };
  return answer(form, request, () => {
    const call = readCall(request.body);
    ({ id } = call);
    return callMethod(openSession(), call.method, call.params);
  });
}

function readCall(body: unknown): { readonly id: RpcId; readonly method: string; readonly params: unknown } {
  const { jsonrpc, method, id = null, params = {} } = isRecord(body) ? body : {};
  if (jsonrpc !== "2.0" || typeof method !== "string" || !isRpcId(id))
    throw new ProtocolError("INVALID_REQUEST", "The body is not a request of JSON-RPC 2.0");
  if (isRecord(params)) return { id, method, params };
  throw new ProtocolError("INVALID_PARAMS", "params must be an object");
}

function isRpcId(id: unknown): id is RpcId {
  return id === null || typeof id === "string" || Number.isInteger(id);
}

const HTTP_FORM: Form = {
  headers: { "content-type": "application/a2a+json" },
  failureEvent: "event: error\n",
  statusOf: ({ status }) => status,
  renderResult: (result) => result,
  renderFault: renderHttpFault,
};

const CONFIGS = String.raw`tasks\/(?<taskId>[^/]+)\/pushNotificationConfigs`;

/** The methods of HTTP+JSON by verb and path below the endpoint. Named groups are parameters. */
const HTTP_METHODS: readonly (readonly [RegExp, string])[] = [
  [/^POST message:send$/, "SendMessage"],
  [/^POST message:stream$/, "SendStreamingMessage"],
  [/^GET extendedAgentCard$/, "GetExtendedAgentCard"],
  [/^GET tasks$/, "ListTasks"],
  [/^GET tasks\/(?<id>[^/:]+)$/, "GetTask"],
  [/^POST tasks\/(?<id>[^/:]+):cancel$/, "CancelTask"],
  [/^(?:GET|POST) tasks\/(?<id>[^/:]+):subscribe$/, "SubscribeToTask"],
  [new RegExp(`^POST ${CONFIGS}$`), "CreateTaskPushNotificationConfig"],
  [new RegExp(`^GET ${CONFIGS}$`), "ListTaskPushNotificationConfigs"],
  [new RegExp(`^GET ${CONFIGS}/(?<id>[^/]+)$`), "GetTaskPushNotificationConfig"],
  [new RegExp(`^DELETE ${CONFIGS}/(?<id>[^/]+)$`), "DeleteTaskPushNotificationConfig"],
];

/** HTTP+JSON. */
export async function answerHttp(openSession: () => Session, request: ExtensionRequest): Promise<ExtensionResponse> {
  const { method, path, query, body } = request;
  const response = await answer(HTTP_FORM, request, () => {
    const session = openSession();
    const below = path.replaceAll(/%3A/gi, ":").split("/").slice(4).join("/");
    for (const [pattern, name] of HTTP_METHODS) {
      const found = pattern.exec(`${method} ${below}`);
      if (found === null) continue;
      const given = method === "GET" ? readQuery(query) : isRecord(body) ? body : {};
      const named = Object.entries(found.groups ?? {}).map(([key, text]) => [key, decodeURIComponent(text)]);
      return callMethod(session, name, { ...given, ...Object.fromEntries(named) });
    }
    throw new ProtocolError("METHOD_NOT_FOUND", "The protocol has no such operation");
  });
  return response.body === null ? { status: 204 } : response;
}

/** Numbers are read from texts as from JSON; a flag is not. */
function readQuery(query: ExtensionRequest["query"]): Record<string, unknown> {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
  return { ...given, includeArtifacts: query["includeArtifacts"] === "true" };
}

const FORBIDDEN = 403;

async function answer(
  form: Form,
  { caller }: Pick<ExtensionRequest, "caller">,
  call: () => Promise<unknown>,
): Promise<ExtensionResponse> {
  try {
    const result = await call();
    if (!isStream(result)) return { headers: form.headers, body: form.renderResult(result) };
    const renderFrame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
    const frames = async function* (): AsyncGenerator<string, void, undefined> {
      for await (const update of result) yield renderFrame(form.renderResult(update));
    };
    return await openEventStream(frames(), {
      renderFailure: (error) => `${form.failureEvent}${renderFrame(form.renderFault(toFault(error)))}`,
    });
  } catch (error) {
    const fault = toFault(error);
    // The challenge of the service tells a program which scope it has to ask for.
    if (fault.status === FORBIDDEN && caller.client !== undefined) throw error;
    const { retryAfterSeconds: seconds } = fault;
    const headers = { ...form.headers, ...(seconds !== null && { "retry-after": String(seconds) }) };
    return { status: form.statusOf(fault, error), headers, body: form.renderFault(fault) };
  }
}

function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}

type Method = (session: Session, params: unknown) => Promise<unknown> | Updates;

/** A result, or the updates of a stream. */
async function callMethod(session: Session, name: string, params: unknown): Promise<unknown> {
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
