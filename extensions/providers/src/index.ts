// In charge of: the protocols of model providers: requests, streams and errors as OpenAI, Anthropic, Google and compatible servers have them.
// Not in charge of: which providers and models there are, retries, fallbacks, deadlines, prices, or the simulated provider.
import { defineExtension } from "swarmbase/extension";
import { PROVIDER_KEYS_ROUTE } from "./provider-keys-route.ts";
import { VENDOR_PROTOCOLS } from "./vendor-protocols.ts";

export const extension = defineExtension({
  name: "providers",
  summary: "the protocols of model providers: OpenAI, Anthropic, Google and compatible servers",
  docs: new URL("../README.md", import.meta.url),
  providerKinds: VENDOR_PROTOCOLS,
  routes: [PROVIDER_KEYS_ROUTE],
});
