// In charge of: a transport for useChat of the AI SDK.
// Not in charge of: streams, which it translates.
export { SwarmChatTransport, type SwarmChatTransportOptions } from "./swarm-chat-transport.ts";
export type { SwarmDataParts, SwarmMetadata, SwarmUIMessage } from "./swarm-ui-message.ts";
export type { TablesClient } from "./find-unfinished-run.ts";
