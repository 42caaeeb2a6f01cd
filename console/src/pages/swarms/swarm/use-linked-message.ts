import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { type Conversation, readMessage } from "../../../data/messages.ts";
import { useToast } from "../../../components/toast.tsx";
import type { MessageListHandle } from "./message-list.tsx";

const SHOWN_MS = 3_000;

interface LinkedMessage {
  /** The id of the highlighted message, or null. */
  readonly messageId: string | null;
  /** Scrolls to a message and loads it if necessary. */
  jump(messageId: string): void;
}

/** Handles links to messages: `?message=…` in the URL, and quotations. */
export function useLinkedMessage(options: {
  readonly conversation: Conversation;
  readonly list: RefObject<MessageListHandle | null>;
}): LinkedMessage {
  const { conversation, list } = options;
  const { messages, loadUntil } = conversation;
  const [params] = useSearchParams();
  const [messageId, setMessageId] = useState<string | null>(null);
  const show = useToast();
  const jump = useCallback(
    (id: string) => {
      const go = async () => {
        const message = await readMessage(id).catch(() => null);
        if (message === null) return show({ text: "The message no longer exists.", tone: "bad" });
        await loadUntil(message.seq);
        setMessageId(id);
      };
      if (list.current?.has(id) === true) setMessageId(id);
      else void go();
    },
    [list, loadUntil, show],
  );
  const linkedId = params.get("message");
  const done = useRef<string | null>(null);
  const isReady = messages !== undefined;
  useEffect(() => {
    if (!isReady || linkedId === null || done.current === linkedId) return;
    done.current = linkedId;
    jump(linkedId);
  }, [isReady, linkedId, jump]);
  useEffect(() => {
    if (messageId === null) return;
    list.current?.toMessage(messageId);
    const timer = setTimeout(() => setMessageId(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [messageId, list]);
  return { messageId, jump };
}
