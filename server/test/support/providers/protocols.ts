import { mapSettings, type MappedSettings, type SettingsTarget } from "../../../src/agents/providers/map-settings.ts";
import { createSimulatedProtocol } from "../../../src/agents/providers/simulated/simulated-protocol.ts";
import type { ProviderKind } from "../../../src/config/index.ts";
import { loadExtensions, protocolsOf } from "../../../src/extensions/index.ts";

export { createStreamPace } from "../../../src/agents/providers/stream-pace.ts";
export { describeModel, type ProviderKind } from "../../../src/config/index.ts";

/** The kinds of the shipped extension, loaded as the service loads them. */
export const PROTOCOLS = protocolsOf(await loadExtensions({ names: ["providers"], environment: {} }));
const SIMULATED = createSimulatedProtocol({ firstTokenMs: 0, tokensPerSecond: 0, sleep: async () => {} });

export type KindTarget = Omit<SettingsTarget, "mapping"> & { readonly kind: ProviderKind };

/** The settings of a call to a model of the kind. */
export function mapSettingsOf(settings: Record<string, unknown>, { kind, ...target }: KindTarget): MappedSettings {
  const mapping = [SIMULATED, ...PROTOCOLS].find((protocol) => protocol.kind === kind);
  if (mapping === undefined) throw new Error(`no extension has the kind ${kind}`);
  return mapSettings(settings, { ...target, mapping });
}
