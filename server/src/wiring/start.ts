import type { GivenKey } from "../agents/index.ts";
import type { NodeContext } from "./node-context.ts";
import type { PrimaryService } from "./processes/start-primary.ts";
import type { KeyTest, TestContext } from "./providers/test-providers.ts";
import type { ServingNode, StartOptions } from "./start-node.ts";

/** Starts the service in this process: the only one of the node, or a worker process. Loads all modules; most commands need few of them. */
export async function startNode(options: StartOptions): Promise<ServingNode> {
  return (await import("./start-node.ts")).startNode(options);
}

/** Starts the service as several processes, of which this one is the primary. */
export async function startPrimary(context: NodeContext): Promise<PrimaryService> {
  return (await import("./processes/start-primary.ts")).startPrimary(context);
}

/** Tests the key of a vendor without a service. */
export async function testKey(context: TestContext, given: GivenKey): Promise<KeyTest> {
  return (await import("./providers/test-providers.ts")).testKey(context, given);
}
