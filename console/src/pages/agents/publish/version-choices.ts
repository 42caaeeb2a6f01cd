import type { AgentVersion } from "../../../data/agent-versions.ts";
import type { Grant } from "../../../data/agent-grants.ts";
import type { Choice } from "../../../components/select.tsx";

export type VersionChoice = Choice;

/** The loaded versions, and those that grants pin although they are older. */
export function listVersionChoices(
  versions: readonly Pick<AgentVersion, "number">[],
  grants: readonly Pick<Grant, "agent_version">[],
): readonly VersionChoice[] {
  const pinned = grants.flatMap(({ agent_version: number }) => number ?? []);
  const numbers = [...new Set([...versions.map(({ number }) => number), ...pinned])].toSorted((one, two) => two - one);
  return [
    { value: "", label: "As the agent is" },
    ...numbers.map((number, place) => ({
      value: String(number),
      label: place === 0 ? `Version ${number} (newest)` : `Version ${number}`,
    })),
  ];
}
