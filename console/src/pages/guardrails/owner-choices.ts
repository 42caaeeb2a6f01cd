import { type GuardrailOwner, useManagedSwarms } from "../../data/guardrails.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";

/** The name of the parameter in addresses: `?of=agent:<id>`. */
export const OWNER = "of";

const SEPARATOR = ":";

export interface OwnerChoice {
  readonly value: string;
  readonly label: string;
}

/** The agents and swarms whose guardrails the user manages; undefined until they are loaded. */
export function useOwnerChoices(): readonly OwnerChoice[] | undefined {
  const { rows: agents } = useAgentChoices();
  const { rows: swarms } = useManagedSwarms();
  if (agents === undefined || swarms === undefined) return undefined;
  return [
    ...agents.map(({ id, name }) => ({ value: `agent${SEPARATOR}${id}`, label: `Agent ${name}` })),
    ...swarms.map(({ id, name }) => ({ value: `swarm${SEPARATOR}${id}`, label: `Swarm ${name}` })),
  ];
}

/** Null for a text that names neither an agent nor a swarm. */
export function parseOwner(text: string): GuardrailOwner | null {
  const [noun, id = ""] = text.split(SEPARATOR);
  if (id === "") return null;
  if (noun === "agent") return { agent_id: id };
  return noun === "swarm" ? { swarm_id: id } : null;
}
