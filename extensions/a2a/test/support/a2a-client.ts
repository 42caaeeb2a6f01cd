import { type Message, type Part, Role, type SendMessageConfiguration } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import type { ExtendedService } from "../../../../server/test/support/extended-service.ts";

export type Binding = "JSONRPC" | "HTTP+JSON";

export interface ClientOptions {
  readonly bearer: string | null;
  readonly binding?: Binding;
}

/** The public client of the protocol, for an endpoint with a public card. */
export function openClient(
  { fetch }: Pick<ExtendedService, "fetch">,
  endpoint: string,
  { bearer, binding = "JSONRPC" }: ClientOptions,
): Promise<Client> {
  const headers = async (): Promise<Record<string, string>> =>
    bearer === null ? {} : { authorization: `Bearer ${bearer}` };
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
    headers,
    shouldRetryWithHeaders: async () => undefined,
  });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${endpoint}/`);
}

function textPart(value: string): Part {
  return { content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" };
}

export function dataPart(value: unknown): Part {
  return { content: { $case: "data", value }, metadata: undefined, filename: "", mediaType: "" };
}

export interface Sent extends Partial<Pick<Message, "taskId" | "contextId" | "messageId">> {
  readonly configuration?: Partial<SendMessageConfiguration>;
}

/** The request of a message, for the client. */
export function messageOf(content: string | Part[], { configuration, ...ids }: Sent = {}) {
  const message: Message = {
    messageId: crypto.randomUUID(),
    contextId: "",
    taskId: "",
    role: Role.ROLE_USER,
    parts: typeof content === "string" ? [textPart(content)] : content,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...ids,
  };
  const defaults = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false };
  return { tenant: "", message, metadata: undefined, configuration: { ...defaults, ...configuration } };
}
