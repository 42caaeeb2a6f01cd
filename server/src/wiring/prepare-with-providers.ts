import { describeProviders, loadProviders, type Providers } from "../agents/index.ts";
import { protocolsOf } from "../extensions/index.ts";
import type { Closers } from "./closers.ts";
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
export async function prepareWithProviders(context: NodeContext, closers: Closers): Promise<PreparedProviders> {
  const { settings, environment, extensions } = context;
  const load = (found?: PreparedNode["found"]): Providers =>
    loadProviders(settings, environment, protocolsOf(extensions), found);
  // Reports faults of the settings before anything is opened.
  load();
  const node = await prepareNode(context, closers);
  const providers = load(node.found);
  const tested = testKeys(context, providers);
  return { node, providers, providerLines: tested.then((faults) => describeProviders(providers, faults)) };
}
