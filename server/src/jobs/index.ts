// In charge of: the shape of everything that runs for as long as the service does, and keeping it running.
// Not in charge of: what the workers do.

export { type SuperviseOptions, supervise } from "./supervise.ts";
export type { Worker } from "./worker.ts";
