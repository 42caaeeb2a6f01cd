import type { EndedSessions } from "./access/ended-sessions.ts";
import type { SessionMembers } from "./access/session-members.ts";
import type { Broadcaster } from "./broadcast/broadcaster.ts";
import type { Channel } from "./channels/channel.ts";
import type { TopicHub } from "./channels/topic-hub.ts";
import type { Presence } from "./presence/presence.ts";
import type { RealtimeOptions } from "./realtime-options.ts";
import type { ChangeFrames } from "./wire/change-frames.ts";

/** Shared by all sockets of a node. */
export interface RealtimeState extends RealtimeOptions {
  readonly hub: TopicHub;
  readonly presence: Presence;
  readonly broadcaster: Broadcaster;
  readonly changeFrames: ChangeFrames;
  readonly members: SessionMembers<Channel>;
  readonly endedSessions: EndedSessions;
}
