import { type AddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import { chooseRedirect } from "../../auth/index.ts";
import { type CorePorts, type OpenedExtensions, openExtensions } from "../../extensions/index.ts";
import type { OpenNodeContext } from "../node-context.ts";

const EXTENSION_CONNECTIONS = 64;

interface ExtensionModuleOptions extends OpenNodeContext {
  readonly policy: AddressPolicy;
  readonly ca: readonly string[];
  readonly key: Buffer;
  getCore(): CorePorts;
}

/** The extensions with their outgoing connections. */
export async function openExtensionModule(options: ExtensionModuleOptions): Promise<OpenedExtensions> {
  const { settings, meter, policy, ca, baseUrl, closers, primary = null } = options;
  const extensions = await openExtensions({
    ...options,
    isWorkerProcess: primary !== null,
    readMetrics: async () => (await meter?.read()) ?? [],
    openFetch: (exemptUrls, { perOrigin = EXTENSION_CONNECTIONS, ...connections }) => {
      const guarded = openGuardedFetch({ policy, ca, connectionsPerOrigin: perOrigin, exemptUrls, ...connections });
      closers.add("connections of extensions", () => guarded.close());
      // The types of the package's fetch and the platform's differ in members that are not used here.
      const fetch = guarded.fetch as unknown as typeof globalThis.fetch;
      return { fetch, findUrlFault: (url) => guarded.findUrlFault(url) };
    },
    isRedirectAllowed: (url) => chooseRedirect({ settings, baseUrl: baseUrl() }, url) === URL.parse(url)?.href,
  });
  closers.add("tool kinds of extensions", () => extensions.close());
  return extensions;
}
