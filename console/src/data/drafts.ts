import { useCallback, useRef, useState } from "react";
import { beforeSignOut, useUser } from "./session.ts";

interface Draft {
  readonly text: string;
  /** The same for all attempts to send this text, so that it is stored once. */
  readonly clientMessageId: string;
  setText(text: string): void;
  clear(): void;
  /** Restores a rejected text, unless the user has typed something else. */
  restore(text: string, clientMessageId: string): void;
}

const PREFIX = "swarmbase.draft.";
const keyOf = (userId: string, place: string): string => `${PREFIX}${userId}.${place}`;

/** What the user is writing, kept in this browser until it is sent or the user signs out. The place: the id of a swarm or an agent. */
export function useDraft(place: string): Draft {
  const key = keyOf(useUser().id, place);
  const [text, keep] = useState(() => localStorage.getItem(key) ?? "");
  const [clientMessageId, setClientMessageId] = useState<string>(() => crypto.randomUUID());
  const current = useRef(text);
  const setText = useCallback(
    (next: string) => {
      current.current = next;
      keep(next);
      if (next === "") localStorage.removeItem(key);
      else localStorage.setItem(key, next);
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

/** What was being written to a swarm or agent that is gone. */
export function useDraftsOf(place: string): readonly string[] {
  const text = localStorage.getItem(keyOf(useUser().id, place));
  return text === null ? [] : [text];
}

beforeSignOut(async () => {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
});
