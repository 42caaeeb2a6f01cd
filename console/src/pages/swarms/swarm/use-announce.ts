import { useEffect, useRef, useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { toPlainLine } from "../../../components/to-plain-line.ts";

/** The newest complete message of another sender, for screen readers. */
export function useAnnounce(messages: readonly Message[] | undefined, userId: string): string {
  const [text, setText] = useState("");
  const last = messages?.at(-1);
  const known = useRef<number | null>(null);
  useEffect(() => {
    if (messages === undefined) return;
    const seq = last?.seq ?? 0;
    const isNew = known.current !== null && seq > known.current;
    known.current = seq;
    if (isNew && last !== undefined && last.sender_user_id !== userId && last.content !== null)
      setText(`${last.sender_name}: ${toPlainLine(last.content)}`);
  }, [messages, last, userId]);
  return text;
}
