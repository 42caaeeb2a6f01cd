// In charge of: long-running workers: their interface, supervision, pauses, wake-ups and the polling loop.
// Not in charge of: what the workers do.

export { Hold } from "./hold.ts";
export { type PollOptions, poll } from "./poll.ts";
export { type SuperviseOptions, supervise } from "./supervise.ts";
export { spread, WakeUp } from "./wake-up.ts";
export type { Worker } from "./worker.ts";
