// In charge of: the settings of the service: one table, read once, all faults gathered, frozen, documented from it;
// and the catalogue of models that is shipped.
// Not in charge of: reading process.env (main.ts), or whether files and databases that are named really exist.
export { findLikelyTypos, type LikelyTypo } from "./find-likely-typos.ts";
export { type Environment, loadSettings, readExtensionSettings } from "./load-settings.ts";
export {
  assumeSupport,
  describeModel,
  type ModelCatalogue,
  type ModelPrice,
  type ModelSupport,
  type OfferedModel,
  type OfferedModels,
  PROVIDER_KINDS,
  type ProviderKind,
  SHIPPED_MODELS,
  shippedIds,
} from "./model-catalogue.ts";
export { type ExtensionRows, renderConfigurationReference } from "./render-configuration-reference.ts";
export type { ExtensionSettingRow } from "./setting-row.ts";
export type { ExtensionSettings, Settings } from "./settings.ts";
export { SettingsError } from "./settings-error.ts";
export { SETTINGS } from "./settings-table.ts";
