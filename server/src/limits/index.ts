// In charge of: how many calls a key has left in its window, shared between nodes where there is a store.
// Not in charge of: which call counts for which row and key, or the headers of a response (http).
export { addressKey } from "./address-key.ts";
export { type Counts, createCounts } from "./counts.ts";
export { HolderCounts } from "./holder-counts.ts";
export { type Limits, openLimits, type WebhookSend } from "./open-limits.ts";
export { pingStore } from "./ping-store.ts";
export { rateLimitedError } from "./rate-limited-error.ts";
export type { SharedStore } from "./shared-store.ts";
export type { RateLimitState } from "./rate-limit-state.ts";
export { connectStore } from "./connect-store.ts";
export { userKey } from "./user-key.ts";
export type { LimitSettings, WindowName } from "./windows.ts";
