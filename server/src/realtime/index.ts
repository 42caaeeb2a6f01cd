// In charge of: sockets, channels, the changes that each subscriber may see, broadcast and presence, over all nodes.
// Not in charge of: authentication (passed in), the HTTP server whose upgrade requests arrive here.

export type { RestBroadcast } from "./requests/rest-broadcast.ts";
export type { Changes } from "./changes.ts";
export type { OpenFeedStream } from "./feed/feed-stream.ts";
export { openChanges } from "./open-changes.ts";
export { openReplication } from "./feed/open-replication.ts";
export type { AttachedFeed } from "./feed/relay/feed-peer.ts";
export { FeedRelay } from "./feed/relay/feed-relay.ts";
export { type FeedListener, type FeedSource, openRelayedStream } from "./feed/relay/relayed-stream.ts";
export { openRealtime, type RealtimeModule } from "./open-realtime.ts";
export { createPrivateTopics } from "./private/private-topics.ts";
export { createFollowedTopics } from "./signals/followed-topics.ts";
export type {
  AuthenticatedPrincipal,
  Authenticate,
  PrivateTopics,
  RealtimeOptions,
  SocketCounts,
} from "./realtime-options.ts";
