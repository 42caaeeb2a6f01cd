// In charge of: limiting, batching and sharing concurrent work within one process.
// Not in charge of: what the work is, or limits that hold for all nodes (limits/).
export { type BatcherOptions, createBatcher } from "./batcher.ts";
export { FairQueue, type PermitHolder } from "./fair-queue.ts";
export { Semaphore } from "./semaphore.ts";
export { shareRuns } from "./share-runs.ts";
export { unlessAborted } from "./unless-aborted.ts";
