import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { type Conversation, readMessage } from "../../../data/messages.ts";
import { useToast } from "../../../components/toast.tsx";
import type { MessageListHandle } from "./message-list.tsx";

const SHOWN_MS = 3_000;

export interface LinkedMessage {
  /** Of the message to stand out, or null. */
  readonly messageId: string | null;
  /** Goes to a message, however far back it is. */
  jump(messageId: string): void;
}

/** `?message=…` in the address, and quotations, lead to a message. */
export function useLinkedMessage(at: {
  readonly conversation: Conversation;
  readonly list: RefObject<MessageListHandle | null>;
}): LinkedMessage {
  const { conversation, list } = at;
  const { messages, loadUntil } = conversation;
  const [params] = useSearchParams();
  const [messageId, setMessageId] = useState<string | null>(null);
  const show = useToast();
  const jump = useCallback(
    (id: string) => {
      const go = async () => {
        const message = await readMessage(id).catch(() => null);
        if (message === null) return show({ text: "That message is not here any more.", tone: "bad" });
        await loadUntil(message.seq);
        setMessageId(id);
      };
      if (list.current?.has(id) === true) setMessageId(id);
      else void go();
    },
    [list, loadUntil, show],
  );
  const wanted = params.get("message");
  const done = useRef<string | null>(null);
  const isReady = messages !== undefined;
  useEffect(() => {
    if (!isReady || wanted === null || done.current === wanted) return;
    done.current = wanted;
    jump(wanted);
  }, [isReady, wanted, jump]);
  useEffect(() => {
    if (messageId === null) return;
    list.current?.toMessage(messageId);
    const timer = setTimeout(() => setMessageId(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [messageId, list]);
  return { messageId, jump };
}
