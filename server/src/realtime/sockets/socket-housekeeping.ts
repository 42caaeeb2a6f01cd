import { nextTick, type Worker } from "../../jobs/index.ts";
import type { Channel } from "../channels/channel.ts";
import type { RealtimeState } from "../realtime-state.ts";
import type { ClientSocket } from "./client-socket.ts";

/** Ends silent sockets and channels with expired tokens. One periodic sweep is cheaper than a timer for each. */
export function createSocketHousekeeping(
  state: RealtimeState,
  sockets: Iterable<ClientSocket>,
  sweepMs: number,
): Worker {
  return {
    name: "realtime-keeper",
    run: async (signal) => {
      while (!signal.aborted) {
        sweep(state, sockets);
        await nextTick(sweepMs, signal);
      }
    },
  };
}

function sweep(state: RealtimeState, sockets: Iterable<ClientSocket>): void {
  const { clock, settings, observer } = state;
  const nowMs = clock.now().getTime();
  for (const socket of sockets) {
    if (nowMs - socket.heardAtMs > settings.realtimeIdleTimeoutMs) {
      observer.note("realtime.silent");
      socket.terminate();
      continue;
    }
    for (const channel of socket.channels) checkExpiry(channel, nowMs, settings.realtimeExpiryWarningSeconds * 1000);
  }
}

function checkExpiry(channel: Channel, nowMs: number, warningMs: number): void {
  const expiresAt = channel.admission?.expiresAt ?? null;
  if (expiresAt === null || channel.phase !== "joined") return;
  const leftMs = expiresAt.getTime() - nowMs;
  if (leftMs <= 0) {
    channel.fail("system", "InvalidJWTToken: Token has expired");
  } else if (leftMs <= warningMs && !channel.isWarned) {
    channel.isWarned = true;
    const leftSeconds = Math.ceil(leftMs / 1000);
    channel.pushSystem("system", "warning", `The access token expires in ${leftSeconds} seconds; send a new one`);
  }
}
