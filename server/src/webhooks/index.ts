// In charge of: turning event rows into deliveries; signing, sending, retrying and recording them; calls about them.
// Not in charge of: which events exist (the schema), outgoing connections (guarded-fetch), the wire format of calls (functions).

export { decideAllowedCidrs, isReachableByOthers } from "./allowed-cidrs.ts";
export type { AttemptNow } from "./calls/attempt-now.ts";
export { DataSchemas } from "./app-events/data-schemas.ts";
export { createEmitBatches } from "./app-events/emit-batches.ts";
export { type EmitCall, type EmitPorts, type Emitted, emitEvents } from "./app-events/emit-events.ts";
export {
  commitFeed,
  type CommitFeedCall,
  type FeedPage,
  type FeedPorts,
  type ReadFeedCall,
  readFeed,
} from "./feeds/read-feed.ts";
export type { CallerPorts } from "./run-as-caller.ts";
export { readAuthorities } from "./read-authorities.ts";
export { buildDeliveryHeaders, buildSignedHeaders } from "./sign.ts";
export { openWebhooks, type WebhookModule, type WebhooksOptions } from "./open-webhooks.ts";
