import type { ModelCall } from "../model-port.ts";

/** What a simulated reply begins with. */
export const MARK = "[simulated]";

/** One message of the swarm, as an agent was given it. */
export interface Said {
  /** Null: the message does not name its author. */
  readonly author: string | null;
  readonly text: string;
  /** Of the messages of the call, which holds it. */
  readonly index: number;
  readonly isOwn: boolean;
}

const LABEL = /^\[([^[\]\n]{1,100})\]: /;

/** The messages of the swarm that a call hands to the model, oldest first; neither tool calls nor their results are any. */
export function readSaid({ messages, agent }: Pick<ModelCall, "messages" | "agent">): readonly Said[] {
  return messages.flatMap((message, index) => {
    if (message.role === "tool" || (message.role === "assistant" && message.toolCalls !== undefined)) return [];
    const { content, role, starts = [0] } = message;
    return starts.map((start, at) => {
      const text = content.slice(start, starts[at + 1]).trim();
      if (role === "assistant") return { author: agent.name, text, index, isOwn: true };
      return { author: LABEL.exec(text)?.[1] ?? null, text: text.replace(LABEL, ""), index, isOwn: false };
    });
  });
}

export function isSimulated({ text }: Said): boolean {
  return text.startsWith(MARK);
}
