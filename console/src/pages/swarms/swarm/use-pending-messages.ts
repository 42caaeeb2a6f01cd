import { useCallback, useMemo, useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";

/** Something said that the service has not confirmed yet. */
export interface PendingMessage {
  readonly clientMessageId: string;
  readonly content: string;
  readonly replyToId: string | null;
}

export interface PendingMessages {
  readonly messages: readonly PendingMessage[];
  add(message: PendingMessage): void;
  /** It was refused. */
  drop(clientMessageId: string): void;
}

/** What one has just said stands there at once; the stored message takes its place. */
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
