import type { RealtimeChannel } from "@supabase/supabase-js";
import { useCallback, useEffect, useRef, useState } from "react";
import { getClient } from "./client.ts";

/** The other people in a swarm now. A member can claim any id, so show only ids of members, with the names from the service. */
export interface Presence {
  /** The ids of the users who have the swarm open. */
  readonly present: ReadonlySet<string>;
  /** The ids of the users who are writing a message. */
  readonly typing: ReadonlySet<string>;
  /** Call it with each change of the text that the user writes. */
  reportTyping(isTyping: boolean): void;
}

const NOBODY: ReadonlySet<string> = new Set();
const TYPING = "typing";
/** Somebody who types reports it this often. */
const REPORT_MS = 3_000;
/** Somebody who does not report it again has stopped, or has closed the page. */
const FORGET_MS = 6_000;
/** A member can send any number of ids. */
const MOST_TYPING = 20;

/** Joins the private channel of the swarm, which only members can join and viewers cannot send to. */
export function usePresence(swarmId: string, userId: string): Presence {
  const [present, setPresent] = useState(NOBODY);
  const [typing, setTyping] = useState(NOBODY);
  const joined = useRef<RealtimeChannel>(null);
  const reportedAt = useRef(0);
  useEffect(() => {
    const client = getClient();
    const channel = client.channel(`swarm:${swarmId}`, { config: { private: true, presence: { key: userId } } });
    const timers = new Map<string, ReturnType<typeof setTimeout>>();
    const forget = (id: string): void => {
      clearTimeout(timers.get(id));
      if (timers.delete(id)) setTyping(new Set(timers.keys()));
    };
    channel
      .on("presence", { event: "sync" }, () => setPresent(new Set(Object.keys(channel.presenceState()))))
      .on("broadcast", { event: TYPING }, ({ payload }) => {
        const { user_id: id, is_typing: isTyping } = (payload ?? {}) as Record<string, unknown>;
        if (typeof id !== "string" || id === userId) return;
        if (isTyping !== true) return forget(id);
        if (!timers.has(id) && timers.size >= MOST_TYPING) return;
        clearTimeout(timers.get(id));
        timers.set(
          id,
          setTimeout(() => forget(id), FORGET_MS),
        );
        setTyping(new Set(timers.keys()));
      })
      .subscribe((status) => {
        joined.current = status === "SUBSCRIBED" ? channel : null;
        if (status === "SUBSCRIBED") void channel.track({});
      });
    return () => {
      joined.current = null;
      reportedAt.current = 0;
      for (const timer of timers.values()) clearTimeout(timer);
      setPresent(NOBODY);
      setTyping(NOBODY);
      void client.removeChannel(channel);
    };
  }, [swarmId, userId]);
  const reportTyping = useCallback(
    (isTyping: boolean) => {
      const now = performance.now();
      const isDue = isTyping
        ? reportedAt.current === 0 || now - reportedAt.current > REPORT_MS
        : reportedAt.current > 0;
      if (joined.current === null || !isDue) return;
      reportedAt.current = isTyping ? now : 0;
      void joined.current.send({
        type: "broadcast",
        event: TYPING,
        payload: { user_id: userId, is_typing: isTyping },
      });
    },
    [userId],
  );
  return { present, typing, reportTyping };
}
