import { type ProviderKind, SettingsError } from "../../config/index.ts";
import type { Providers } from "./provider.ts";
import type { VendorProtocol } from "./provider-protocol.ts";

/** Throws a SettingsError that names every configured provider whose kind no loaded extension has. */
export function requireProtocols(providers: Providers, protocols: readonly VendorProtocol[]): void {
  const kinds = new Set<ProviderKind>(["simulated", ...protocols.map(({ kind }) => kind)]);
  const missing = Object.values(providers).filter(({ state, kind }) => state !== "unconfigured" && !kinds.has(kind));
  if (missing.length === 0) return;
  throw new SettingsError(
    missing.map(
      ({ framework, kind }) =>
        `EXTENSIONS names no extension with the provider kind ${kind}, which ${framework} has; add providers to it`,
    ),
  );
}
