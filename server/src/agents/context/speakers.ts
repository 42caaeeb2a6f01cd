import { labelKey, speakerLabel } from "./speaker-label.ts";
import type { TranscriptMessage } from "./transcript.ts";

export interface Participant {
  readonly id: string;
  readonly name: string;
  readonly type: "user" | "agent";
  readonly role?: string | null;
}

export interface Speakers {
  /** False where only one person speaks with the agent. */
  readonly isShared: boolean;
  labelOf(message: TranscriptMessage): string;
  labelOfParticipant(participant: Participant): string;
  isLabel(text: string): boolean;
}

/**
 * One label for each author. An author whose name is taken gets a number, so that no author can impersonate another. The agent
 * itself comes first, then the participants, then authors who have left.
 */
export function nameSpeakers(
  agent: { readonly id: string; readonly name: string },
  participants: readonly Participant[],
  messages: readonly TranscriptMessage[],
): Speakers {
  const labels = new Map<string, string>();
  const taken = new Set<string>();

  const claim = (key: string, name: string, fallback: string): void => {
    if (labels.has(key)) return;
    const plain = speakerLabel(name, fallback);
    let label = plain;
    for (let number = 2; taken.has(labelKey(label)); number += 1) label = `${plain} (${number})`;
    labels.set(key, label);
    taken.add(labelKey(label));
  };

  const own = `agent ${agent.id}`;
  claim(own, agent.name, "agent");
  for (const { type, id, name } of participants) claim(`${type} ${id}`, name, type);
  for (const message of messages)
    if (message.content !== null) claim(authorKey(message), message.sender_name, message.sender_type);

  const others = [...labels.keys()].filter((key) => key !== own && !key.startsWith("system "));
  return {
    isShared: others.length > 1 || others.some((key) => key.startsWith("agent ")),
    labelOf: (message) => labels.get(authorKey(message)) ?? message.sender_type,
    labelOfParticipant: ({ type, id }) => labels.get(`${type} ${id}`) ?? type,
    isLabel: (text) => taken.has(labelKey(speakerLabel(text, ""))),
  };
}

function authorKey(message: TranscriptMessage): string {
  return `${message.sender_type} ${message.sender_id ?? `named ${message.sender_name}`}`;
}
