import type { AgentVersion } from "../../data/agent-versions.ts";

/** What the model gets of an agent. */
export type ComparedVersion = Pick<
  AgentVersion,
  "role" | "framework" | "model" | "system_prompt" | "settings" | "tools"
>;

export interface Difference {
  readonly label: string;
  /** The texts of the earlier and of the later version, with a line for each part. */
  readonly before: string;
  readonly after: string;
}

const FIELDS: readonly { readonly label: string; read(version: ComparedVersion): string | null }[] = [
  { label: "Role", read: ({ role }) => role },
  { label: "Provider", read: ({ framework }) => framework },
  { label: "Model", read: ({ model }) => model ?? "default model" },
  { label: "System prompt", read: ({ system_prompt: prompt }) => prompt },
  { label: "Settings", read: ({ settings }) => renderObject(settings) },
  { label: "Tools", read: ({ tools }) => renderTools(tools) },
];

/** The fields that differ between two versions. */
export function compareVersions(from: ComparedVersion, to: ComparedVersion): readonly Difference[] {
  return FIELDS.flatMap(({ label, read }) => {
    const [before, after] = [read(from) ?? "", read(to) ?? ""];
    return before === after ? [] : [{ label, before, after }];
  });
}

/** A line for each member, in the order of their names. */
function renderObject(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${key}: ${JSON.stringify(member)}`)
    .join("\n");
}

function renderTools(tools: ComparedVersion["tools"]): string {
  return tools
    .map(({ name, enabled, configuration }) => {
      const configured = Object.keys(configuration).length === 0 ? "" : ` ${JSON.stringify(configuration)}`;
      return `${name}${enabled ? "" : " (disabled)"}${configured}`;
    })
    .join("\n");
}
