import { AppError } from "../../errors/index.ts";
import { nextTick, type Worker } from "../../jobs/index.ts";
import type { Channel } from "../channels/channel.ts";
import { MAX_INTERVAL_WITHOUT_FEED_MS } from "../realtime-options.ts";
import type { RealtimeState } from "../realtime-state.ts";
import type { ClientSocket } from "./client-socket.ts";

const POLL_MS = 1_000;
const MAX_CONCURRENT = 4;
const CLOSE_POLICY = 1008;

/** Rechecks open sockets: the feed misses ended sessions while it is not live, and never reports revoked keys. */
export function createRecheck(state: RealtimeState, sockets: Iterable<ClientSocket>, recheckMs: number): Worker {
  return {
    name: "realtime-recheck",
    run: async (signal) => {
      let liveCount = state.changes.liveCount();
      let checkedAtMs = state.clock.now().getTime();
      while (!signal.aborted) {
        await nextTick(Math.min(POLL_MS, recheckMs), signal);
        const isLive = state.changes.state() === "live";
        const nowMs = state.clock.now().getTime();
        const dueMs = isLive ? recheckMs : Math.min(recheckMs, MAX_INTERVAL_WITHOUT_FEED_MS);
        const isDue = state.changes.liveCount() !== liveCount || nowMs - checkedAtMs >= dueMs;
        liveCount = state.changes.liveCount();
        if (!isDue || signal.aborted) continue;
        checkedAtMs = nowMs;
        await recheckKeys(state, sockets);
        await recheckAll(
          state,
          [...sockets].flatMap((socket) => [...socket.channels]),
          signal,
        );
      }
    },
  };
}

/** Closes sockets whose key was revoked. A principal without a token has only the key. */
async function recheckKeys(state: RealtimeState, sockets: Iterable<ClientSocket>): Promise<void> {
  const byKey = Map.groupBy(sockets, ({ apikey }) => apikey);
  for (const [apikey, opened] of byKey) {
    const rejection = await findRejection(state, null, apikey);
    if (rejection !== null)
      for (const socket of opened) void socket.close(CLOSE_POLICY, "the API key is no longer valid");
  }
}

/** Null when they are valid, or when that cannot be determined now. */
async function findRejection(state: RealtimeState, token: string | null, apikey: string): Promise<AppError | null> {
  try {
    await state.authenticate(token, apikey);
    return null;
  } catch (error) {
    // 403: the user has a second factor that the session has not passed.
    if (error instanceof AppError && (error.status === 401 || error.status === 403)) return error;
    state.observer.note("realtime.recheck_failed", { error });
    return null;
  }
}

/**
 * For channels of one session. The newest token decides whether they have to be checked at all, so that a client with many
 * tokens causes one query by each update of its session.
 */
export async function recheckSession(state: RealtimeState, channels: readonly Channel[]): Promise<void> {
  const expiryOf = ({ admission }: Channel): number => admission?.expiresAt?.getTime() ?? 0;
  const newest = channels.reduce((best, channel) => (expiryOf(channel) > expiryOf(best) ? channel : best));
  if ((await findRejection(state, newest.token, newest.socket.apikey)) !== null) await recheckAll(state, channels);
}

async function recheckAll(state: RealtimeState, channels: readonly Channel[], signal?: AbortSignal): Promise<void> {
  const ofUsers = channels.filter(({ admission }) => admission !== null && admission.principal.userId !== null);
  const waiting = [...Map.groupBy(ofUsers, ({ token }) => token)];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined && signal?.aborted !== true; next = waiting.pop()) {
      await recheck(state, ...next);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
}

async function recheck(state: RealtimeState, token: string | null, channels: readonly Channel[]): Promise<void> {
  const [first] = channels;
  if (first === undefined || token === null) return;
  const rejection = await findRejection(state, token, first.socket.apikey);
  if (rejection === null) return;
  for (const channel of channels) if (channel.token === token) channel.fail("system", rejection.message);
}
