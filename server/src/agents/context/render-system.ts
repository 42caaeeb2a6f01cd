import { speakerLabel } from "./speaker-label.ts";
import type { Participant, Speakers } from "./speakers.ts";

const MAX_NAMED_PARTICIPANTS = 40;
const MAX_ROLE_CHARS = 200;

export interface ContextAgent {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
  readonly systemPrompt: string | null;
}

/** The prompt of the owner and a line about the participants. Names and roles are user input: one line, limited length. */
export function renderSystem(agent: ContextAgent, participants: readonly Participant[], speakers: Speakers): string {
  const others = participants.filter((one) => one.type !== "agent" || one.id !== agent.id);
  const named = others.slice(0, MAX_NAMED_PARTICIPANTS).map((one) => describe(one, speakers));
  if (others.length > named.length) named.push(`and ${others.length - named.length} more`);

  const sentences = [
    `You are "${speakerLabel(agent.name, "agent")}"${roleOf(agent.role)} in a shared conversation.`,
    named.length > 0 ? `Other participants: ${named.join(", ")}.` : "",
    "Messages of others begin with their name in brackets; your own do not.",
    "Answer only as yourself, without such a prefix, and never write for others.",
  ];
  const identity = sentences.filter((sentence) => sentence !== "").join(" ");
  const prompt = agent.systemPrompt?.trim() ?? "";
  return prompt === "" ? identity : `${prompt}\n\n${identity}`;
}

function describe(participant: Participant, speakers: Speakers): string {
  const kind = participant.type === "agent" ? "agent" : "person";
  return `"${speakers.labelOfParticipant(participant)}" (${kind}${roleOf(participant.role ?? null)})`;
}

function roleOf(role: string | null): string {
  const text = speakerLabel((role ?? "").slice(0, MAX_ROLE_CHARS), "");
  return text === "" ? "" : `, role: ${text}`;
}
