// In charge of: the shape of everything that runs for as long as the service does, waking it, and keeping it running.
// Not in charge of: what the workers do.

export { Hold } from "./hold.ts";
export { type PollOptions, poll } from "./poll.ts";
export { type SuperviseOptions, supervise } from "./supervise.ts";
export { spread, WakeUp } from "./wake-up.ts";
export type { Worker } from "./worker.ts";
