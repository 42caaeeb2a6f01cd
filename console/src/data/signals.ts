import type { RealtimeChannel } from "@supabase/supabase-js";
import { useEffect } from "react";
import { getClient } from "./client.ts";
import { setLive } from "./connection.ts";
import { isPortal, portalToken } from "./portal.ts";

/** Null means that anything may have changed, because several signals came together or some were missed. */
export type OnSignal<Signal> = (signal: Signal | null) => void;

interface Shared {
  readonly channel: RealtimeChannel;
  readonly throttle: Throttle;
  readonly listeners: Set<OnSignal<never>>;
}

/** For signals that cause requests, of which a user has 100 per minute. */
export const REQUEST_INTERVAL_MS = 3_000;
/** The portal has no channels. */
const POLL_MS = 10_000;
const shared = new Map<string, Shared>();

/** Calls after each signal of a private channel, at most once per interval. Hooks with the same topic share a channel. */
export function useSignals<Signal>(topic: string | null, onSignal: OnSignal<Signal>, intervalMs = 0): void {
  useEffect(() => {
    if (topic !== null) return follow(topic, onSignal, intervalMs);
  }, [topic, onSignal, intervalMs]);
}

/** Calls after signals of any of these channels, at most once per interval in all. */
export function useSignalsOfAny(topics: readonly string[], onSignal: () => void, intervalMs: number): void {
  const joined = topics.join(" ");
  useEffect(() => {
    const throttle = new Throttle(intervalMs, onSignal);
    const receive = (): void => throttle.receive(null);
    const followed = joined === "" ? [] : joined.split(" ", isPortal() ? 1 : undefined);
    // A channel that is open already sends nothing now, and a signal may have waited for the end of an interval.
    if (followed.some((topic) => shared.has(topic))) receive();
    const ends = followed.map((topic) => follow(topic, receive, REQUEST_INTERVAL_MS));
    return () => {
      throttle.close();
      for (const end of ends) end();
    };
  }, [joined, onSignal, intervalMs]);
}

/** Returns a function that ends it. */
function follow(topic: string, onSignal: OnSignal<never>, intervalMs: number): () => void {
  if (isPortal()) return poll(() => onSignal(null));
  const found = shared.get(topic) ?? open(topic, intervalMs);
  // One of its own for each call: the same function can follow again before it has left.
  const listener: OnSignal<never> = (signal) => onSignal(signal);
  found.listeners.add(listener);
  const leave = (): void => {
    found.listeners.delete(listener);
    if (found.listeners.size > 0) return;
    found.throttle.close();
    shared.delete(topic);
    void getClient().removeChannel(found.channel);
  };
  // After the effects of the next render, which may follow the same topic.
  return () => queueMicrotask(leave);
}

function poll(read: () => void): () => void {
  const timer = setInterval(() => {
    if (document.visibilityState === "visible" && portalToken.get() !== "") read();
  }, POLL_MS);
  return () => clearInterval(timer);
}

function open(topic: string, intervalMs: number): Shared {
  const channel = getClient().channel(topic, { config: { private: true } });
  const listeners = new Set<OnSignal<never>>();
  const throttle = new Throttle(intervalMs, (signal) => {
    for (const listener of listeners) listener(signal as never);
  });
  const opened: Shared = { channel, throttle, listeners };
  channel
    .on("broadcast", { event: "*" }, ({ payload }) => throttle.receive(payload))
    .subscribe((status) => {
      if (status === "CLOSED") return;
      setLive(status === "SUBSCRIBED");
      // Changes before the join, and during an interruption, have no signal.
      if (status === "SUBSCRIBED") throttle.receive(null);
    });
  shared.set(topic, opened);
  return opened;
}

/** Passes a signal on at once, and those of the following interval together at its end. */
class Throttle {
  readonly #intervalMs: number;
  readonly #send: (signal: unknown) => void;
  #pending: unknown;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(intervalMs: number, send: (signal: unknown) => void) {
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  receive(signal: unknown): void {
    this.#pending = this.#pending === undefined ? signal : null;
    if (this.#timer === undefined) this.#flush();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#pending === undefined) return;
    const signal = this.#pending;
    this.#pending = undefined;
    this.#timer = setTimeout(() => this.#flush(), this.#intervalMs);
    this.#send(signal);
  }
}
