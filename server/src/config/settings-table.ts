import { ACCOUNT_SETTINGS, MAIL_SETTINGS } from "./account-settings.ts";
import { AGENT_SETTINGS, PROVIDER_SETTINGS } from "./agent-settings.ts";
import {
  DATABASE_SETTINGS,
  KEY_SETTINGS,
  LOGGING_SETTINGS,
  SERVICE_SETTINGS,
  TABLE_SETTINGS,
  TIMEOUT_SETTINGS,
  TLS_SETTINGS,
} from "./service-settings.ts";
import { HOOK_SETTINGS } from "./hook-settings.ts";
import type { NamedSettingRow, SettingRow } from "./setting-row.ts";
import { LIMIT_SETTINGS, REALTIME_SETTINGS, WEBHOOK_SETTINGS } from "./traffic-settings.ts";

/** Every setting, by the heading of its section on the reference page. `Settings` and all checks are derived from it. */
export const SETTING_GROUPS = {
  Service: SERVICE_SETTINGS,
  TLS: TLS_SETTINGS,
  Database: DATABASE_SETTINGS,
  Tables: TABLE_SETTINGS,
  Keys: KEY_SETTINGS,
  Accounts: ACCOUNT_SETTINGS,
  Mail: MAIL_SETTINGS,
  Hooks: HOOK_SETTINGS,
  Webhooks: WEBHOOK_SETTINGS,
  Realtime: REALTIME_SETTINGS,
  Agents: AGENT_SETTINGS,
  Providers: PROVIDER_SETTINGS,
  Limits: LIMIT_SETTINGS,
  Timeouts: TIMEOUT_SETTINGS,
  Logging: LOGGING_SETTINGS,
};

export const DEFAULT_EXTENSIONS = SERVICE_SETTINGS.EXTENSIONS.default;

export type SettingGroup = (typeof SETTING_GROUPS)[keyof typeof SETTING_GROUPS];
type NamesIn<Rows> = Rows extends unknown ? keyof Rows & string : never;
export type SettingName = NamesIn<SettingGroup>;

export const SETTINGS: readonly NamedSettingRow<SettingName>[] = Object.values(SETTING_GROUPS).flatMap(
  (group: Readonly<Record<string, SettingRow>>) =>
    Object.entries(group).map(([name, row]) => ({ ...row, name: name as SettingName })),
);
