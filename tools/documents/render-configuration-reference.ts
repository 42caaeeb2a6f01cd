import {
  describeAccepted,
  type ExtensionRows,
  SETTING_GROUPS,
  type SettingRow,
  type StandardVariable,
} from "../../server/src/config/index.ts";

const HEAD = `<!-- Generated from server/src/config/settings-table.ts by \`npm run generate -- reference\`. Do not edit by hand. -->

# Configuration

Settings are environment variables, which the service reads once at the start. When a setting is invalid the service does
not start and lists all faults together. An empty variable counts as unset. Variables that are not in these tables are
ignored, with a warning when one looks like a misspelt setting. Secrets are never printed.
`;

/** Returns the text of docs/reference/configuration.md; extensions with settings have a section each. */
export function renderConfigurationReference(extensions: readonly ExtensionRows[] = []): string {
  const sections = Object.entries(SETTING_GROUPS).map(([group, rows]) =>
    renderSection(group, Object.entries(rows).map(renderRow)),
  );
  const further = extensions.map(({ name, settings = [], standardVariables = [] }) => {
    const rows = [...settings.map((row) => renderRow([row.name, row])), ...standardVariables.map(renderVariable)];
    return rows.length === 0 ? "" : renderSection(`Extension \`${name}\``, rows);
  });
  return HEAD + sections.join("") + further.join("");
}

function renderSection(title: string, rows: readonly string[]): string {
  return `\n## ${title}\n\n| name | accepts | default | what it does |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function renderVariable({ name, accepts, default: fallback, description, secret }: StandardVariable): string {
  return `| \`${name}\` | ${accepts}${secret ? " (secret)" : ""} | ${fallback ?? "none"} | ${description} |`;
}

function renderRow([name, row]: readonly [string, SettingRow]): string {
  const accepts = describeAccepted(row) + (row.secret ? " (secret)" : "");
  return `| \`${name}\` | ${accepts} | ${renderDefault(row)} | ${row.description} |`;
}

function renderDefault(row: SettingRow): string {
  if (row.fallback !== undefined) return `the value of \`${row.fallback}\``;
  if (row.default === null || (Array.isArray(row.default) && row.default.length === 0)) return "none";
  return `\`${String(row.default)}\``;
}
