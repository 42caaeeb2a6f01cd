import type { EndedSessions } from "./access/ended-sessions.ts";
import type { SessionChannels } from "./access/session-channels.ts";
import type { TopicRechecks } from "./access/topic-rechecks.ts";
import type { Broadcaster } from "./broadcast/broadcaster.ts";
import type { TopicChannels } from "./channels/topic-channels.ts";
import type { Presence } from "./presence/presence.ts";
import type { RealtimeOptions } from "./realtime-options.ts";
import type { Signals } from "./signals/signals.ts";
import type { ChangeFrames } from "./wire/change-frames.ts";

/** Shared by all sockets of a node. */
export interface RealtimeState extends RealtimeOptions {
  readonly topics: TopicChannels;
  readonly presence: Presence;
  readonly broadcaster: Broadcaster;
  readonly changeFrames: ChangeFrames;
  readonly sessionChannels: SessionChannels;
  readonly endedSessions: EndedSessions;
  readonly rechecks: TopicRechecks;
  readonly signals: Signals;
}
