// In charge of: an event row becomes deliveries, each is signed, sent, judged, retried and recorded; calls about them.
// Not in charge of: which events there are (the schema), the way out (outbound), the wire shape of calls (functions).

export { decideAllowedCidrs } from "./allowed-cidrs.ts";
export type { AttemptNow } from "./calls/attempt-now.ts";
export type { CallerId } from "./calls/webhook-access.ts";
export { openWebhooks, type WebhookModule, type WebhooksOptions } from "./open-webhooks.ts";
export type { Recovery } from "./sql/recoveries.ts";
export type { CountedSend } from "./sql/send-windows.ts";
