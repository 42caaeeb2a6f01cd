import { describeProviders, loadProviders, type Providers } from "../agents/index.ts";
import { protocolsOf } from "../extensions/index.ts";
import type { NodeServer } from "./database/open-node-server.ts";
import { type PreparedNode, prepareNode } from "./database/prepare-node.ts";
import type { NodeContext } from "./node-context.ts";
import { testKeys } from "./providers/test-providers.ts";

export interface PreparedProviders {
  readonly node: PreparedNode;
  readonly providers: Providers;
  /** One line for each framework, when the tests of the keys have ended. */
  readonly providerLines: Promise<readonly string[]>;
}

/** Prepares a node, and begins to test the keys that it uses. */
export async function prepareWithProviders(context: NodeContext, opened: NodeServer): Promise<PreparedProviders> {
  const { settings, environment, extensions } = context;
  const node = await prepareNode(context, opened);
  const providers = loadProviders(settings, environment, protocolsOf(extensions), node.found);
  const tested = testKeys(context, providers);
  return { node, providers, providerLines: tested.then((faults) => describeProviders(providers, faults)) };
}
