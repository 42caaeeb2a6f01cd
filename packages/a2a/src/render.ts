import { type ListTasksResponse, StreamResponse, Task, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { type ExtensionResponse, openEventStream } from "swarmbase/extension";
import { type Fault, ProtocolError, toFault } from "./faults.ts";

/** The package of the protocol reads members that it does not check first. */
export function parseWith<T>(codec: { fromJSON(object: unknown): T }, value: unknown): T {
  try {
    return codec.fromJSON(value);
  } catch {
    throw new ProtocolError("INVALID_PARAMS", "The parameters do not have the form of the protocol");
  }
}

/** Lists and numbers are sent when they are empty, too: the protocol requires them. */
export function renderTaskList({ tasks, nextPageToken, pageSize, totalSize }: ListTasksResponse): unknown {
  return { tasks: tasks.map((task) => Task.toJSON(task)), nextPageToken, pageSize, totalSize };
}

export function renderPushConfigs(configs: readonly TaskPushNotificationConfig[]): unknown {
  return { configs: configs.map((config) => TaskPushNotificationConfig.toJSON(config)), nextPageToken: "" };
}

/** Throws an error without a message for the caller again: the service logs it and answers 500. */
export function requireFault(error: unknown): Fault {
  const fault = toFault(error);
  if (fault === null) throw error;
  return fault;
}

export function retryHeader({ retryAfterSeconds: seconds }: Fault): { readonly headers?: Record<string, string> } {
  return seconds === null ? {} : { headers: { "retry-after": String(seconds) } };
}

interface StreamForm {
  /** What a frame contains. */
  readonly wrap?: (event: unknown) => unknown;
  readonly renderFailure: (error: unknown) => string;
}

export function renderStream(
  events: AsyncGenerator<StreamResponse, void, undefined>,
  { wrap = (event) => event, renderFailure }: StreamForm,
): Promise<ExtensionResponse> {
  const frames = async function* (): AsyncGenerator<string, void, undefined> {
    for await (const event of events) yield `data: ${JSON.stringify(wrap(StreamResponse.toJSON(event)))}\n\n`;
  };
  return openEventStream(frames(), { renderFailure });
}
