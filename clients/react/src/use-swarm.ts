import type { SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import { useMemo, useSyncExternalStore } from "react";
import { INITIAL_STATE, type SwarmActions, type SwarmState } from "./swarm-state.ts";
import { type StoreOptions, SwarmStore } from "./swarm-store.ts";

/** React mounts components twice during development, and routers mount the next page before they remove the last one. */
const CLOSE_DELAY_MS = 1_000;

const byClient = new WeakMap<SupabaseClient, Map<string, SharedSwarm>>();

export interface UseSwarmOptions {
  /** Show the user as present, and who else is. Default: true. */
  readonly presence?: boolean;
  /** Include the reasoning of models, where the user may see it. Default: false. */
  readonly includeReasoning?: boolean;
}

export interface Swarm extends SwarmState, SwarmActions {}

/**
 * A swarm as it changes: its messages, the replies that agents are writing, tool calls, approvals and presence, and what the user can do.
 * All components that use the same client and swarm share one connection.
 */
export function useSwarm(client: SupabaseClient, swarmId: string, options: UseSwarmOptions = {}): Swarm {
  const { presence = true, includeReasoning = false } = options;
  const swarm = useMemo(
    () => shareSwarm(client, swarmId, { presence, includeReasoning }),
    [client, swarmId, presence, includeReasoning],
  );
  const state = useSyncExternalStore(swarm.subscribe, swarm.getState, swarm.getState);
  return useMemo(() => ({ ...state, ...swarm.actions }), [state, swarm]);
}

/** The store of a swarm that all components share. It is open while at least one of them is mounted, for the user who is signed in. */
interface SharedSwarm {
  subscribe(listener: () => void): () => void;
  getState(): SwarmState;
  readonly actions: SwarmActions;
}

/** Components with the same client, swarm and options get the same store. */
function shareSwarm(client: SupabaseClient, swarmId: string, options: StoreOptions): SharedSwarm {
  const shared = byClient.get(client) ?? new Map<string, SharedSwarm>();
  byClient.set(client, shared);
  const key = [swarmId, options.presence, options.includeReasoning].join();
  const found = shared.get(key) ?? createShared(client, swarmId, options);
  shared.set(key, found);
  return found;
}

function createShared(client: SupabaseClient, swarmId: string, options: StoreOptions): SharedSwarm {
  const listeners = new Set<() => void>();
  let state = INITIAL_STATE;
  let store: SwarmStore | null = null;
  let userId: string | null | undefined;
  let closing: Promise<void> = Promise.resolve();
  let session: { unsubscribe(): void } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const setState = (next: SwarmState): void => {
    state = next;
    for (const listener of listeners) listener();
  };
  const closeStore = (): void => {
    const closed = store;
    store = null;
    if (closed !== null) closing = closing.then(() => closed.close());
  };
  /** Another user sees another swarm. */
  const openFor = async (user: { readonly id: string | null; readonly name: string }): Promise<void> => {
    if (user.id === userId) return;
    userId = user.id;
    closeStore();
    setState(INITIAL_STATE);
    await closing;
    if (session === null || userId !== user.id) return;
    store = new SwarmStore(client as SupabaseClient<Database>, swarmId, user, { ...options, onChange: setState });
  };
  const open = (): void => {
    if (session !== null) return;
    const { data } = client.auth.onAuthStateChange((_event, current) => {
      const user = current?.user;
      const name: unknown = user?.user_metadata["full_name"];
      // supabase-js must not be called from within this callback.
      setTimeout(() => {
        void openFor({ id: user?.id ?? null, name: typeof name === "string" ? name : (user?.email ?? "") });
      });
    });
    session = data.subscription;
  };
  const close = (): void => {
    session?.unsubscribe();
    session = null;
    userId = undefined;
    closeStore();
    state = INITIAL_STATE;
  };
  const getStore = (): SwarmStore => {
    if (store === null) throw new Error("The swarm is not open yet");
    return store;
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      clearTimeout(timer);
      open();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) timer = setTimeout(close, CLOSE_DELAY_MS);
      };
    },
    getState: () => state,
    actions: {
      send: async (...args) => getStore().send(...args),
      retry: async (...args) => getStore().retry(...args),
      discard: (...args) => getStore().discard(...args),
      approve: async (...args) => getStore().approve(...args),
      deny: async (...args) => getStore().deny(...args),
      signal: async (...args) => getStore().signal(...args),
      cancel: async (...args) => getStore().cancel(...args),
      loadOlder: async () => getStore().loadOlder(),
      reload: () => getStore().reload(),
    },
  };
}
