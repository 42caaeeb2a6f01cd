import { useAgentsAndSwarms } from "../../data/choices.ts";
import { type GuardrailOwner, useManagedSwarms } from "../../data/guardrails.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";

/** The name of the parameter in addresses: `?of=agent:<id>`. */
export const OWNER = "of";

const SEPARATOR = ":";
const NOUNS = { agents: "agent", swarms: "swarm" } as const;

/** The agents and swarms whose guardrails the user manages, also the one that is chosen. */
export function useOwnerChoices(chosen: string) {
  const ids = [chosen.split(SEPARATOR)[1] ?? ""];
  const { rows, search } = useAgentsAndSwarms(useAgentChoices(ids), useManagedSwarms(ids));
  const owners = rows?.map(({ kind, id, label }) => ({ value: `${NOUNS[kind]}${SEPARATOR}${id}`, label }));
  return { owners, search };
}

/** Null for a text that names neither an agent nor a swarm. */
export function parseOwner(text: string): GuardrailOwner | null {
  const [noun, id = ""] = text.split(SEPARATOR);
  if (id === "") return null;
  if (noun === "agent") return { agent_id: id };
  return noun === "swarm" ? { swarm_id: id } : null;
}
