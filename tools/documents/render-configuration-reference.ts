import {
  describeAccepted,
  type ExtensionRows,
  SETTING_GROUPS,
  type SettingRow,
  type StandardVariable,
} from "../../server/src/config/index.ts";
import { NAME_RULES } from "./setting-names.ts";

const HEAD = `<!-- Generated from server/src/config/settings-table.ts by \`npm run generate -- reference\`. Do not edit by hand. -->

# Configuration

This page is for operators. It lists every setting with what it accepts, its default and what it does.

Settings are environment variables, which the service reads once at the start. When a setting is invalid the service does
not start and lists all faults together. An empty variable counts as unset. Variables that are not in these tables are
ignored, with a warning when one looks like a misspelt setting. Secrets are never printed.
\`swarmbase config\` prints the settings that differ from their defaults.

Most services need only the settings of the first table. The others have defaults that suit most services.
`;

/** What a new deployment sets, in the order in which one decides it. */
export const ESSENTIAL_SETTINGS: readonly string[] = [
  "PUBLIC_URL",
  "HOST",
  "PORT",
  "NODE_ENV",
  "DATA_DIR",
  "TLS_MODE",
  "TLS_CERT_FILE",
  "TLS_KEY_FILE",
  "TRUSTED_PROXIES",
  "DATABASE_URL",
  "MASTER_KEY",
  "BACKUP_DIR",
  "SMTP_URL",
  "MAIL_FROM",
  "PROVIDER_A_API_KEY",
];

/** Returns the text of docs/reference/configuration.md; extensions with settings have a section each. */
export function renderConfigurationReference(extensions: readonly ExtensionRows[] = []): string {
  const sections: readonly Section[] = [
    ...Object.entries(SETTING_GROUPS).map(([title, rows]) => ({ title, rows: Object.entries(rows).map(renderRow) })),
    ...extensions.map(({ name, settings = [], standardVariables = [] }) => ({
      title: `Extension \`${name}\``,
      rows: [...settings.map((row) => renderRow([row.name, row])), ...standardVariables.map(renderVariable)],
    })),
  ];
  const all = new Map(sections.flatMap(({ rows }) => rows));
  const essential = ESSENTIAL_SETTINGS.flatMap((name) => all.get(name) ?? []);
  const advanced = sections.map(({ title, rows }) =>
    renderSection(
      `### ${title}`,
      rows.filter(([name]) => !ESSENTIAL_SETTINGS.includes(name)).map(([, line]) => line),
    ),
  );
  return `${HEAD}${renderSection("## The settings that matter", essential)}\n## Advanced settings\n${advanced.join("")}${renderNames()}`;
}

interface Section {
  readonly title: string;
  readonly rows: readonly NamedLine[];
}

type NamedLine = readonly [name: string, line: string];

function renderNames(): string {
  const rows = NAME_RULES.map(({ form, means }) => `| ${form.replace(/[A-Z_…]{3,}/g, "`$&`")} | ${means} |`);
  return `\n## Names\n\nThe name of a setting says what its value is.\n\n| name | value |\n|---|---|\n${rows.join("\n")}\n`;
}

function renderSection(heading: string, rows: readonly string[]): string {
  if (rows.length === 0) return "";
  return `\n${heading}\n\n| name | accepts | default | what it does |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function renderVariable({ name, accepts, default: fallback, description, secret }: StandardVariable): NamedLine {
  return [name, `| \`${name}\` | ${accepts}${secret ? " (secret)" : ""} | ${fallback ?? "none"} | ${description} |`];
}

function renderRow([name, row]: readonly [string, SettingRow]): NamedLine {
  const accepts = describeAccepted(row) + (row.secret ? " (secret)" : "");
  return [name, `| \`${name}\` | ${accepts} | ${renderDefault(row)} | ${row.description} |`];
}

function renderDefault(row: SettingRow): string {
  if (row.fallback !== undefined) return `the value of \`${row.fallback}\``;
  if (row.default === null || (Array.isArray(row.default) && row.default.length === 0)) return "none";
  return `\`${String(row.default)}\``;
}
