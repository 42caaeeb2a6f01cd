import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Worker } from "../jobs/index.ts";
import { EndedSessions } from "./access/ended-sessions.ts";
import { createRecheck } from "./access/recheck.ts";
import { SessionMembers } from "./access/session-members.ts";
import { Broadcaster } from "./broadcast/broadcaster.ts";
import { createRestBroadcast, type RestBroadcast } from "./broadcast/rest-broadcast.ts";
import type { Channel } from "./channels/channel.ts";
import { TopicHub } from "./channels/topic-hub.ts";
import { Presence } from "./presence/presence.ts";
import { PresenceSync } from "./presence/presence-sync.ts";
import { DEFAULT_TIMING, type RealtimeOptions } from "./realtime-options.ts";
import type { RealtimeState } from "./realtime-state.ts";
import { createHousekeeping } from "./sockets/housekeeping.ts";
import { SocketEndpoint } from "./sockets/socket-endpoint.ts";
import { ChangeFrames } from "./wire/change-frames.ts";

export interface RealtimeModule {
  /** For the `upgrade` event of the HTTP server; also answers requests to other paths. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly broadcast: RestBroadcast;
  readonly workers: readonly Worker[];
  countSockets(): number;
  /** Closes all sockets, so that their clients reconnect to another node. */
  close(): Promise<void>;
}

export function openRealtime(options: RealtimeOptions): RealtimeModule {
  const { changes, clock, observer, newId } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const node = newId();
  const hub = new TopicHub();
  const presence: Presence = new Presence({
    node,
    // The whole state must fit into the send buffer together with other frames.
    maxTopicBytes: options.settings.realtimeSendBufferBytes / 2,
    countOf: (hubKey) => hub.countOf(hubKey),
    send: (hubKey, diffJson) => hub.sendPresenceDiff(hubKey, diffJson),
    onOwnChange: (joins, leaves) => presenceSync.send(joins, leaves),
  });
  const presenceSync = new PresenceSync({ node, presence, changes, clock, observer, timing });
  const broadcaster = new Broadcaster({ node, hub, changes, observer });
  const members = new SessionMembers<Channel>();
  const endedSessions = new EndedSessions(clock);
  const removeListener = changes.onSessionsEnded((ended) => {
    endedSessions.add(ended);
    for (const channel of members.findEnded(ended)) channel.fail("system", "The session has ended");
  });
  const state: RealtimeState = {
    ...options,
    hub,
    presence,
    broadcaster,
    changeFrames: new ChangeFrames(),
    members,
    endedSessions,
  };
  const endpoint = new SocketEndpoint(state);

  return {
    handleUpgrade: (request, socket, head) => endpoint.handleUpgrade(request, socket, head),
    broadcast: createRestBroadcast(state),
    workers: [
      createHousekeeping(state, endpoint.sockets, timing.sweepMs),
      createRecheck(state, endpoint.sockets, timing.recheckMs),
      presenceSync.worker,
    ],
    countSockets: () => endpoint.sockets.size,
    close: async () => {
      await endpoint.close();
      removeListener();
      broadcaster.close();
      await presenceSync.close();
      presence.close();
    },
  };
}
