// In charge of: the start of the service in stages (database, services, workers, HTTP, ready), and its stop in the reverse order.
// Not in charge of: what the modules do, or reading the settings (commands).
export type { PreparedDatabase } from "./database/prepare-database.ts";
export type { PrimaryService } from "./processes/start-primary.ts";
export type { ServingNode } from "./start-node.ts";
export type { PrimaryMethods, WorkerProcessMethods, WorkerProcessStart } from "./processes/process-protocol.ts";
export type { PrimaryProcess } from "./primary-process.ts";
export type { RunningService } from "./running-service.ts";
export { connectPrimary, prepareDatabase, startNode, startPrimary, startNodeOfPrimary, testKey } from "./start.ts";
export type { StartTimes } from "./start-times.ts";
