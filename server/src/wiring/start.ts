import type { GivenKey } from "../agents/index.ts";
import type { NodeContext } from "./node-context.ts";
import type { PrimaryService } from "./processes/start-primary.ts";
import type { KeyTest, TestContext } from "./providers/test-providers.ts";
import { timed } from "./start-times.ts";
import type { ServingNode, StartOptions } from "./start-node.ts";

/** Starts the service in this process: the only one of the node, or a worker process. Loads all modules; most commands need few of them. */
export async function startNode(options: StartOptions): Promise<ServingNode> {
  const { startNode: start } = await timed(options.startTimes, "modules", import("./start-node.ts"));
  return start(options);
}

/** Starts the service as several processes, of which this one is the primary. */
export async function startPrimary(context: NodeContext): Promise<PrimaryService> {
  const { startPrimary: start } = await timed(context.startTimes, "modules", import("./processes/start-primary.ts"));
  return start(context);
}

/** Tests the key of a vendor without a service. */
export async function testKey(context: TestContext, given: GivenKey): Promise<KeyTest> {
  return (await import("./providers/test-providers.ts")).testKey(context, given);
}
