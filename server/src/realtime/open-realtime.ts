import type { Worker } from "../jobs/index.ts";
import { EndedSessions } from "./access/ended-sessions.ts";
import { HeldBytes, limitsOf } from "./held-bytes.ts";
import { createRecheck, recheckSession } from "./sockets/recheck.ts";
import { SessionChannels } from "./access/session-channels.ts";
import { TopicRechecks } from "./access/topic-rechecks.ts";
import { Broadcaster } from "./broadcast/broadcaster.ts";
import { createRestBroadcast } from "./requests/rest-broadcast.ts";
import { TopicChannels } from "./channels/topic-channels.ts";
import { Presence } from "./presence/presence.ts";
import { PresenceSync } from "./presence/presence-sync.ts";
import { DEFAULT_TIMING, type RealtimeOptions } from "./realtime-options.ts";
import type { RealtimeState } from "./realtime-state.ts";
import { Signals } from "./signals/signals.ts";
import { createSocketHousekeeping } from "./sockets/socket-housekeeping.ts";
import { SocketEndpoint } from "./sockets/socket-endpoint.ts";
import { ChangeFrames } from "./wire/change-frames.ts";

export type RealtimeModule = ReturnType<typeof openRealtime>;

export function openRealtime(options: RealtimeOptions) {
  const { changes, clock, observer, newId } = options;
  const timing = { ...DEFAULT_TIMING, ...options.timing };
  const node = options.node ?? newId();
  const topics = new TopicChannels();
  const presence: Presence = new Presence({
    node,
    held: new HeldBytes(limitsOf(options)),
    maxEntryBytes: options.settings.realtimePresenceLimitBytes,
    // The whole state must fit into the send buffer together with other frames.
    maxTopicBytes: options.settings.realtimeSendBufferLimitBytes / 2,
    countOf: (topicKey) => topics.countOf(topicKey),
    send: (topicKey, diffJson) => topics.sendPresenceDiff(topicKey, diffJson),
    onOwnChange: (joins, leaves) => presenceSync.send(joins, leaves),
  });
  const presenceSync = new PresenceSync({ node, presence, changes, clock, observer, timing });
  const broadcaster = new Broadcaster({ node, topics, changes, observer, waiting: new HeldBytes(limitsOf(options)) });
  const sessionChannels = new SessionChannels();
  const endedSessions = new EndedSessions(clock);
  const removeListener = changes.onSessionsEnded((ended) => {
    endedSessions.add(ended);
    for (const channel of sessionChannels.findEnded(ended)) channel.fail("system", "The session has ended");
  });
  const rechecks = new TopicRechecks({ ...options, presence });
  const signals = new Signals({ ...options, node, topics });
  const state: RealtimeState = {
    ...options,
    topics,
    presence,
    broadcaster,
    changeFrames: new ChangeFrames(),
    sessionChannels,
    endedSessions,
    rechecks,
    signals,
  };
  const removeUpdateListener = changes.onSessionsUpdated((sessionIds, whenVisible) => {
    for (const id of sessionIds) {
      const channels = sessionChannels.findEnded({ sessionIds: [id], userIds: [] });
      if (channels.length === 0) continue;
      const recheck = (): Promise<void> => recheckSession(state, channels);
      // When the visibility cannot be determined, the periodic check finds the change at the latest.
      void whenVisible().then(recheck, recheck);
    }
  });
  const endpoint = new SocketEndpoint(state);
  const workers: readonly Worker[] = [
    createSocketHousekeeping(state, endpoint.sockets, timing.sweepMs),
    createRecheck(state, endpoint.sockets, timing.recheckMs),
    rechecks.worker,
    signals.worker,
    presenceSync.worker,
  ];

  return {
    /** For the `upgrade` event of the HTTP server; also answers requests to other paths. */
    handleUpgrade: endpoint.handleUpgrade.bind(endpoint),
    broadcast: createRestBroadcast(state),
    workers,
    countSockets: () => endpoint.sockets.size,
    /** Removes what a node that was lost has left behind: its presences and the topics that it follows. */
    forgetNode: async (lost: string) => {
      await Promise.all([presenceSync.announceEnd(lost), options.followedTopics.write(lost, [])]);
    },
    /** Closes all sockets, so that their clients reconnect to another node. */
    close: async () => {
      await endpoint.close();
      removeListener();
      removeUpdateListener();
      rechecks.close();
      await signals.close();
      broadcaster.close();
      await presenceSync.close();
      presence.close();
    },
  };
}
