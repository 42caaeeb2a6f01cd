// In charge of: the protocols of model providers: requests, streams and errors as OpenAI, Anthropic, Google and compatible servers have them.
// Not in charge of: which providers and models there are, retries, fallbacks, deadlines, prices, or the simulated provider.
import {
  AppError,
  defineExtension,
  type ExtensionRoute,
  isRecord,
  type VendorKind,
  type VendorProtocol,
  type Warn,
} from "swarmbase/extension";
import { mapResponseFormat, mapResponseSchema } from "./map-answer-format.ts";
import { mapReasoning } from "./map-reasoning.ts";
import { createVendorAdapter } from "./vendor-adapter.ts";
import { type Vendor, VENDORS } from "./vendors.ts";

const VENDOR_PROTOCOLS: readonly VendorProtocol[] = Object.entries(VENDORS).map(([kind, vendor]) => ({
  kind: kind as VendorKind,
  cachePrices: vendor.cachePrices,
  minOutputTokens: vendor.minOutputTokens,
  acceptsBlankStop: vendor.acceptsBlankStop,
  mapSeed: (seed, warn) => mapSeed(vendor, seed, warn),
  mapReasoning: (settings, target) => mapReasoning(vendor, settings, target),
  mapResponseSchema: (schema, target) => mapResponseSchema(vendor, schema, target),
  mapResponseFormat: (format, target) => mapResponseFormat(vendor, format, target),
  open: (provider, ports) => createVendorAdapter(vendor, provider, ports),
}));

/** The first key of a service that only its developer reaches. The core decides whether it may be given. */
const PROVIDER_KEYS_ROUTE: ExtensionRoute = {
  method: "POST",
  path: "/functions/v1/provider-keys",
  access: "user",
  keyScope: null,
  limit: "ai",
  handler: async ({ body, signal }, { operations }) => {
    const { api_key: key, vendor = null, ...others } = isRecord(body) ? body : {};
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw invalid(unknown, "is unknown");
    if (typeof key !== "string") throw invalid("api_key", "must be a text");
    if (vendor !== null && typeof vendor !== "string") throw invalid("vendor", "must be a text");
    return { body: await operations.addProvider(key, vendor, signal), headers: { "cache-control": "no-store" } };
  },
};

export const extension = defineExtension({
  name: "providers",
  summary: "the protocols of model providers: OpenAI, Anthropic, Google and compatible servers",
  docs: new URL("../README.md", import.meta.url),
  providerKinds: VENDOR_PROTOCOLS,
  routes: [PROVIDER_KEYS_ROUTE],
});

function invalid(field: string, message: string): AppError {
  return new AppError("VALIDATION_ERROR", `${field} ${message}`, { details: { [field]: message } });
}

function mapSeed({ seed: range }: Vendor, seed: unknown, warn: Warn): number | null {
  const isWhole = typeof seed === "number" && (range === "int32" ? (seed | 0) === seed : Number.isSafeInteger(seed));
  if (range === "none") warn("seed");
  else if (isWhole) return seed;
  else warn("seed", "not sent: must be a whole number");
  return null;
}
