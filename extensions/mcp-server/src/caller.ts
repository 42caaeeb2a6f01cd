import type { ExtensionCaller, ExtensionContext, ExtensionCore } from "swarmbase/extension";

/** The user of a request, and what tools need of it. */
export interface Caller extends ExtensionCaller, Pick<ExtensionContext, "version" | "fail" | "connectUrl"> {
  readonly core: ExtensionCore;
}
