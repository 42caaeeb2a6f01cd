import type { VendorKind, VendorProtocol, Warn } from "swarmbase/extension";
import { mapResponseFormat, mapResponseSchema } from "./map-answer-format.ts";
import { mapReasoning } from "./map-reasoning.ts";
import { createVendorAdapter } from "./vendor-adapter.ts";
import { type Vendor, VENDORS } from "./vendors.ts";

export const VENDOR_PROTOCOLS: readonly VendorProtocol[] = Object.entries(VENDORS).map(([kind, vendor]) => ({
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

function mapSeed({ seed: range }: Vendor, seed: unknown, warn: Warn): number | null {
  const isWhole = typeof seed === "number" && (range === "int32" ? (seed | 0) === seed : Number.isSafeInteger(seed));
  if (range === "none") warn("seed");
  else if (isWhole) return seed;
  else warn("seed", "not sent: must be a whole number");
  return null;
}
