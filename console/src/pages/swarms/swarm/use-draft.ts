import { useCallback, useRef, useState } from "react";

export interface Draft {
  readonly text: string;
  /** The same for all attempts to send this text, so that it is stored once. */
  readonly clientMessageId: string;
  setText(text: string): void;
  clear(): void;
  /** Restores a rejected text, unless the user has typed something else. */
  restore(text: string, clientMessageId: string): void;
}

/** The text of the composer, kept in the session storage until the tab is closed. */
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
  const restore = useCallback(
    (rejected: string, id: string) => {
      if (current.current !== "") return;
      setText(rejected);
      setClientMessageId(id);
    },
    [setText],
  );
  return { text, clientMessageId, setText, clear, restore };
}
