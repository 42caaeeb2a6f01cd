import { useCallback, useRef, useState } from "react";

export interface Draft {
  readonly text: string;
  /** The same for every try at sending these words, so that none is stored twice. */
  readonly clientMessageId: string;
  setText(text: string): void;
  clear(): void;
  /** After a refusal; what has been typed meanwhile is not written over. */
  bringBack(text: string, clientMessageId: string): void;
}

/** What was begun stays for as long as the tab is open, also when one looks elsewhere in between. */
export function useDraft(userId: string, swarmId: string): Draft {
  const key = `swarmbase.draft.${userId}.${swarmId}`;
  const [text, keep] = useState(() => sessionStorage.getItem(key) ?? "");
  const [clientMessageId, setClientMessageId] = useState<string>(() => crypto.randomUUID());
  const current = useRef(text);
  const setText = useCallback(
    (next: string) => {
      current.current = next;
      keep(next);
      if (next === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
    },
    [key],
  );
  const clear = useCallback(() => {
    setText("");
    setClientMessageId(crypto.randomUUID());
  }, [setText]);
  const bringBack = useCallback(
    (refused: string, id: string) => {
      if (current.current !== "") return;
      setText(refused);
      setClientMessageId(id);
    },
    [setText],
  );
  return { text, clientMessageId, setText, clear, bringBack };
}
