// In charge of: long-running workers: their interface, supervision, pauses, wake-ups, notices to other nodes and the polling loop;
// garbage collection while nothing works.
// Not in charge of: what the workers do.

export { type Commits, UNWATCHED } from "./commits.ts";
export { createGarbageCollection } from "./garbage-collection.ts";
export { WorkerPause } from "./worker-pause.ts";
export { type PollOptions, poll, spread, WakeUp } from "./poll.ts";
export { supervise } from "./supervise.ts";
export { nextTick } from "./next-tick.ts";
export { WorkNotice } from "./work-notice.ts";
export type { Worker } from "./worker.ts";
