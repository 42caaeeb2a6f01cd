// In charge of: long-running workers: their interface, supervision, pauses, wake-ups and the polling loop.
// Not in charge of: what the workers do.

export { Hold } from "./hold.ts";
export { type PollOptions, poll, spread, WakeUp } from "./poll.ts";
export { supervise } from "./supervise.ts";
export type { Worker } from "./worker.ts";
