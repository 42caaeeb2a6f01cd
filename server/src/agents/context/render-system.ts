import { oneLine, speakerLabel } from "./speaker-label.ts";
import type { Participant, Speakers } from "./speakers.ts";

const MAX_NAMED_PARTICIPANTS = 40;
const MAX_ROLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 2_000;

export interface ContextAgent {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
  readonly systemPrompt: string | null;
  /** The agents that this one asks with its tools; empty for an agent that does not lead the others. */
  readonly leads?: readonly Participant[];
}

export interface ContextSwarm {
  readonly name: string;
  readonly description: string | null;
  /** The template of the swarm's owner for the owner's agents; null means that of the service. */
  readonly preamble: string | null;
}

const PREAMBLE = [
  'You are "{agent_name}" and take part in the conversation "{swarm_name}".',
  "Your role: {agent_role}",
  "About the conversation: {swarm_description}",
  "The other participants: {participants}.",
  "You lead the conversation: ask {leads} with your tools, and write the answer.",
  "Messages of others begin with their name in brackets; your own do not. Answer only as yourself, without such a prefix, and never write for others.",
].join("\n");
const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** The prompt of the owner and, where more than one person speaks with the agent, who takes part. */
export function renderSystem(
  request: {
    readonly agent: ContextAgent;
    readonly swarm: ContextSwarm;
    readonly participants: readonly Participant[];
  },
  speakers: Speakers,
): string {
  const prompt = request.agent.systemPrompt?.trim() ?? "";
  const preamble = speakers.isShared ? fill(request.swarm.preamble ?? PREAMBLE, describe(request, speakers)) : "";
  return [prompt, preamble].filter((part) => part !== "").join("\n\n");
}

/** Leaves out a line whose placeholders are all empty. Texts that replace placeholders are not filled again. */
function fill(template: string, values: ReadonlyMap<string, string>): string {
  const lines = template.split("\n").filter((line) => {
    const known = [...line.matchAll(PLACEHOLDER)].flatMap(([, name = ""]) => values.get(name) ?? []);
    return known.length === 0 || known.some((value) => value !== "");
  });
  return lines
    .map((line) => line.replaceAll(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole))
    .join("\n")
    .trim();
}

/** Names, roles and the description are user input: one line, limited length. */
function describe(
  { agent, swarm, participants }: Parameters<typeof renderSystem>[0],
  speakers: Speakers,
): ReadonlyMap<string, string> {
  const list = (all: readonly Participant[]): string => {
    const named = all.slice(0, MAX_NAMED_PARTICIPANTS).map((one) => introduce(one, speakers));
    if (all.length > named.length) named.push(`and ${all.length - named.length} more`);
    return named.join(", ");
  };
  return new Map([
    ["agent_name", speakerLabel(agent.name, "agent")],
    ["agent_role", oneLine(agent.role ?? "", MAX_ROLE_CHARS)],
    ["swarm_name", speakerLabel(swarm.name, "swarm")],
    ["swarm_description", oneLine(swarm.description ?? "", MAX_DESCRIPTION_CHARS)],
    ["participants", list(participants.filter((one) => one.type !== "agent" || one.id !== agent.id))],
    ["leads", list(agent.leads ?? [])],
  ]);
}

function introduce(participant: Participant, speakers: Speakers): string {
  const kind = participant.type === "agent" ? "agent" : "person";
  const role = oneLine(participant.role ?? "", MAX_ROLE_CHARS);
  return `"${speakers.labelOfParticipant(participant)}" (${kind}${role === "" ? "" : `; role: ${role}`})`;
}
