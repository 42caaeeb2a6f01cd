import { useCallback, useMemo, useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";

/** A message that the service has not confirmed yet. */
export interface PendingMessage {
  readonly clientMessageId: string;
  readonly content: string;
  readonly replyToId: string | null;
}

export interface PendingMessages {
  readonly messages: readonly PendingMessage[];
  add(message: PendingMessage): void;
  /** Removes a rejected message. */
  drop(clientMessageId: string): void;
}

/** Sent messages that are shown until the stored message arrives. */
export function usePendingMessages(stored: readonly Message[] | undefined): PendingMessages {
  const [sent, setSent] = useState<readonly PendingMessage[]>([]);
  const add = useCallback((message: PendingMessage) => setSent((before) => [...before, message]), []);
  const drop = useCallback(
    (id: string) => setSent((before) => before.filter(({ clientMessageId }) => clientMessageId !== id)),
    [],
  );
  const messages = useMemo(() => {
    if (sent.length === 0) return sent;
    const known = new Set(stored?.slice(-200).map(({ client_message_id: id }) => id));
    return sent.filter(({ clientMessageId }) => !known.has(clientMessageId));
  }, [sent, stored]);
  return { messages, add, drop };
}
