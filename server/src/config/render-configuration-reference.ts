import { describeAccepted } from "./parse-setting.ts";
import { SETTING_GROUPS, type SettingRow } from "./setting-row.ts";
import { SETTINGS } from "./settings-table.ts";

const HEAD = `<!-- Generated from server/src/config/settings-table.ts by \`npm run docs:reference\`. Do not edit by hand. -->

# Configuration

Settings are environment variables, which the service reads once at the start. When a setting is invalid the service does
not start and lists all faults together. An empty variable counts as unset. Variables that are not in these tables are
ignored, with a warning when one looks like a misspelt setting. Secrets are never printed.
`;

/** Returns the text of docs/reference/configuration.md. */
export function renderConfigurationReference(): string {
  const rows: readonly SettingRow[] = SETTINGS;
  const sections = SETTING_GROUPS.map((group) => {
    const lines = rows.filter((row) => row.group === group).map(renderRow);
    return `\n## ${group}\n\n| name | accepts | default | what it does |\n|---|---|---|---|\n${lines.join("\n")}\n`;
  });
  return HEAD + sections.join("");
}

function renderRow(row: SettingRow): string {
  const accepts = describeAccepted(row) + (row.secret ? " (secret)" : "");
  return `| \`${row.name}\` | ${accepts} | ${renderDefault(row)} | ${row.description} |`;
}

function renderDefault(row: SettingRow): string {
  if (row.fallback !== undefined) return `the value of \`${row.fallback}\``;
  if (row.default === null || (Array.isArray(row.default) && row.default.length === 0)) return "none";
  return `\`${String(row.default)}\``;
}
