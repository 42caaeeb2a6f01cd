import type { ModelCall } from "../model-port.ts";

/** The prefix of a simulated reply. */
export const MARK = "[simulated]";

/** A message of the swarm, as the context of an agent holds it. */
export interface SwarmMessage {
  /** Null means that the message does not name its author. */
  readonly author: string | null;
  readonly text: string;
  /** The index of the message of the call that holds it. */
  readonly index: number;
  readonly isOwn: boolean;
}

const LABEL = /^\[([^[\]\n]{1,100})\]: /;

/** The messages of the swarm in a call, oldest first, without tool calls and their results. */
export function readMessages({ messages, agent }: Pick<ModelCall, "messages" | "agent">): readonly SwarmMessage[] {
  return messages.flatMap((message, index) => {
    if (message.role === "tool" || (message.role === "assistant" && message.toolCalls !== undefined)) return [];
    const { content, role, starts = [0] } = message;
    return starts.map((start, order) => {
      const text = content.slice(start, starts[order + 1]).trim();
      if (role === "assistant") return { author: agent.name, text, index, isOwn: true };
      return { author: LABEL.exec(text)?.[1] ?? null, text: text.replace(LABEL, ""), index, isOwn: false };
    });
  });
}

export function isSimulated({ text }: SwarmMessage): boolean {
  return text.startsWith(MARK);
}
