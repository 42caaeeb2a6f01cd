// In charge of: the settings of the service: one table, from which values and checks are derived;
// the options of commands; the shipped catalogue of models.
// Not in charge of: reading process.env (main.ts), or whether the named files and databases exist.
export {
  type ConnectionParts,
  type ParsedHosts,
  joinConnectionString,
  parseDatabaseHosts,
  splitConnectionString,
} from "./database-hosts.ts";
export { docsPage } from "./docs-page.ts";
export { describeSettings, type SettingInForce } from "./describe-settings.ts";
export { parseFunctionUri } from "./hook-settings.ts";
export { editDistance } from "./edit-distance.ts";
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
  isSelfHosted,
  PROVIDER_KINDS,
  type ProviderKind,
  shippedIds,
  type VendorKind,
} from "./model-catalogue.ts";
export { maskUrls } from "./mask-urls.ts";
export { parseOptions, UsageError } from "./parse-options.ts";
export { describeAccepted } from "./parse-setting.ts";
export type {
  ExtensionRows,
  NamedSettingRow as ExtensionSettingRow,
  SettingRow,
  StandardVariable,
} from "./setting-row.ts";
export { isPageOf, isRelyingPartyId } from "./relying-party.ts";
export type { ExtensionSettings, Settings } from "./settings.ts";
export { checkTogether, SettingsError } from "./settings-error.ts";
export { DEFAULT_EXTENSIONS, SETTING_GROUPS, SETTINGS } from "./settings-table.ts";
