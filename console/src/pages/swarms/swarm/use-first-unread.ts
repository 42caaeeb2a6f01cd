import { useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import type { Swarm } from "../../../data/swarms.ts";

export interface FirstUnread {
  /** The first message of others that the user had not read when the page was opened; null for none. */
  readonly id: string | null;
  /** Keeps the line where it is, or absent: a user who writes has read everything, and sees what comes next. */
  hold(): void;
}

export function useFirstUnread(swarm: Swarm, messages: readonly Message[] = [], userId: string): FirstUnread {
  // What is read from now on does not move the line.
  const [readUpTo] = useState(() => swarm.read_positions[0]?.last_read_seq ?? null);
  const [held, setHeld] = useState<string | null>();
  const id = held === undefined ? findFirstUnread(messages, readUpTo, userId) : held;
  return { id, hold: () => setHeld(id) };
}

/** Null as well while the last message that was read is not loaded. */
function findFirstUnread(messages: readonly Message[], readUpTo: number | null, userId: string): string | null {
  const read = messages.findIndex(({ seq }) => seq === readUpTo);
  const unread = read === -1 ? [] : messages.slice(read + 1);
  return unread.find(({ sender_user_id: senderId }) => senderId !== userId)?.id ?? null;
}
