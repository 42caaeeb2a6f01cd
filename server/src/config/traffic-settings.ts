import { setting } from "./setting-row.ts";

const MAX_PER_MINUTE = 1_000_000;
const MAX_HELD_BYTES = 4_294_967_296;

export const WEBHOOK_SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE: setting(
    { kind: "seconds-list", default: [0, 60, 300, 1800, 7200] },
    "Delays in seconds: entry k is the delay before attempt k, and the last one repeats. A webhook's `retry_count` sets how many attempts follow the first.",
  ),
  WEBHOOK_ALLOWED_CIDRS: setting(
    { kind: "addresses", default: null },
    "Addresses that webhooks, tools and MCP servers may have although they are not public. Defaults to loopback while `HOST` is loopback, `TLS_MODE` is `serve`, `PUBLIC_URL` is unset or loopback, and `NODE_ENV` is not `production`; otherwise to none.",
  ),
  WEBHOOK_ALLOWED_PORTS: setting(
    { kind: "ports", default: [] },
    "Ports that webhooks, tools and MCP servers may have although they are those of databases and other internal services. Ports that the Fetch standard blocks can be allowed for webhooks only.",
  ),
  WEBHOOK_CA_FILE: setting(
    { kind: "path", default: null },
    "Additional certificate authorities that are trusted for endpoints, in PEM format.",
  ),
  WEBHOOK_CONCURRENCY: setting(
    { kind: "integer", min: 1, max: 10_000, default: 256 },
    "Maximum number of concurrent requests of one node to webhooks; those of one user are at most half of them.",
  ),
  WEBHOOK_ENDPOINT_CONCURRENCY: setting(
    { kind: "integer", min: 1, max: 1000, default: 8 },
    "Maximum number of concurrent requests of one node to one webhook.",
  ),
  WEBHOOK_QUEUE_LIMIT: setting(
    { kind: "integer", min: 0, max: 100_000_000, default: 100_000 },
    "Maximum number of deliveries that may wait for the webhooks of one user. Beyond that the webhook with the most waiting deliveries is disabled with the `disabled_reason` `queue_full`, and its waiting deliveries fail; they can be recovered. 0 means no limit.",
  ),
  EVENT_LIMIT_BYTES: setting(
    { kind: "integer", min: 1024, max: 16_777_216, default: 262_144 },
    "Maximum size of the data of an event that the app emits; a larger one gets 413. A request with events is also limited by `BODY_LIMIT_BYTES`.",
  ),
  WEBHOOK_RETENTION_DAYS: setting(
    { kind: "integer", min: 0, max: 3650, default: 30 },
    "Days after which finished deliveries and the log of attempts are removed, large tables up to a quarter later; 0 keeps them.",
  ),
};

export const REALTIME_SETTINGS = {
  REALTIME_SOCKETS_PER_NODE: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 20_000 },
    "Maximum number of open sockets of one node; a further one gets 429. 0 means no limit.",
  ),
  REALTIME_SOCKETS_PER_ADDRESS: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 1_000 },
    "Maximum number of open sockets per node and address (IPv6: per /64); a further one gets 429. 0 means no limit.",
  ),
  REALTIME_CHANNELS_PER_SOCKET: setting(
    { kind: "integer", min: 1, max: 100_000, default: 100 },
    "Maximum number of channels that one socket may join.",
  ),
  REALTIME_CHANNELS_PER_USER: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 1_000 },
    "Maximum number of channels that one user may join on one node, over all sockets. 0 means no limit.",
  ),
  REALTIME_JOINS_PER_SECOND: setting(
    { kind: "integer", min: 0, max: 100_000, default: 100 },
    "Maximum number of joins per second and socket. 0 means no limit.",
  ),
  REALTIME_EVENTS_PER_SECOND: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 500 },
    "Maximum number of broadcasts and presence calls per second and socket. 0 means no limit.",
  ),
  REALTIME_PAYLOAD_LIMIT_BYTES: setting(
    { kind: "integer", min: 1024, max: 67_108_864, default: 1_048_576 },
    "Maximum size of the payload of a change or a broadcast. A larger change is sent with its short values only and `Error 413: Payload Too Large` in its `errors`; a larger broadcast is rejected.",
  ),
  REALTIME_PRESENCE_LIMIT_BYTES: setting(
    { kind: "integer", min: 0, max: 1_048_576, default: 16_384 },
    "Maximum size of one presence, with its key; a larger one is rejected. 0 means no limit.",
  ),
  REALTIME_HELD_BYTES_PER_SOCKET: setting(
    { kind: "integer", min: 0, max: MAX_HELD_BYTES, default: 2_097_152 },
    "Maximum number of bytes of presence that one socket may hold, and as many of its broadcasts that wait for the feed; more are rejected. What a socket holds is released when it closes. 0 means no limit, here and below. The service role is limited by the node and the topic alone.",
  ),
  REALTIME_HELD_BYTES_PER_USER: setting(
    { kind: "integer", min: 0, max: MAX_HELD_BYTES, default: 4_194_304 },
    "The same for all sockets of one user. Each worker process counts the sockets, users and addresses of its own connections.",
  ),
  REALTIME_HELD_BYTES_PER_ADDRESS: setting(
    { kind: "integer", min: 0, max: MAX_HELD_BYTES, default: 4_194_304 },
    "The same for all sockets of one address (IPv6: of one /64).",
  ),
  REALTIME_HELD_BYTES_PER_TOPIC: setting(
    { kind: "integer", min: 0, max: MAX_HELD_BYTES, default: 4_194_304 },
    "The same for one topic. The presences of a topic are also limited to half of `REALTIME_SEND_BUFFER_LIMIT_BYTES`, because a join sends all of them.",
  ),
  REALTIME_HELD_BYTES_PER_NODE: setting(
    { kind: "integer", min: 0, max: MAX_HELD_BYTES, default: 67_108_864 },
    "The same for the whole node. Each node holds the presences of all nodes, so this also limits all presences of several nodes.",
  ),
  REALTIME_VISITOR_HELD_BYTES_PER_NODE: setting(
    { kind: "integer", min: 0, max: MAX_HELD_BYTES, default: 16_777_216 },
    "The part of the bytes of the node that all clients together may hold that have not signed in, or only anonymously.",
  ),
  REALTIME_FRAME_LIMIT_BYTES: setting(
    { kind: "integer", min: 4096, max: 134_217_728, default: 5_242_880 },
    "Maximum size of a frame that a client sends; a larger one closes the socket.",
  ),
  REALTIME_SEND_BUFFER_LIMIT_BYTES: setting(
    { kind: "integer", min: 65_536, max: 1_073_741_824, default: 4_194_304 },
    "Maximum number of bytes that wait for a client that reads too slowly. Beyond that its channels get `phx_error` and the socket is closed, so that the client reconnects and joins again.",
  ),
  REALTIME_IDLE_TIMEOUT_MS: setting(
    { kind: "integer", min: 1_000, max: 3_600_000, default: 70_000 },
    "Time without data after which a socket is closed, in milliseconds. Clients send a heartbeat every 25 seconds.",
  ),
  REALTIME_RECHECK_INTERVAL_SECONDS: setting(
    { kind: "integer", min: 1, max: 86_400, default: 60 },
    "Maximum age of the check of a private channel, in seconds; then the policies of `realtime.messages` are evaluated again. Changes of memberships and `realtime.recheck` take effect at once.",
  ),
  REALTIME_EXPIRY_WARNING_SECONDS: setting(
    { kind: "integer", min: 0, max: 3_600, default: 60 },
    "Time before the expiry of its token at which a channel gets a `system` message. 0 disables it.",
  ),
};

export const LIMIT_SETTINGS = {
  CONNECTIONS_PER_NODE: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 25_000 },
    "Maximum number of open connections of one node. Beyond it, the connection that is idle for the longest time is closed for a new one; if none is idle, the new one is closed. Open sockets and requests in progress are not idle. 0 means no limit.",
  ),
  CONNECTIONS_PER_ADDRESS: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 2_000 },
    "The same for the connections of one address (IPv6: of one /64). Each HTTP/2 request in progress counts like a connection, and a further one gets 429. Connections of `TRUSTED_PROXIES` do not count here; with `TLS_MODE=proxy` the requests in progress and sockets of each forwarded address do, and a further one gets 429. 0 means no limit.",
  ),
  BODY_LIMIT_BYTES: setting(
    { kind: "integer", min: 1024, max: 1_073_741_824, default: 1_048_576 },
    "Maximum size of a request body; a larger one gets 413.",
  ),
  AGENT_LIMIT_PER_USER: setting(
    { kind: "integer", min: 1, max: 1_000_000, default: 100 },
    "Maximum number of agents that one user may own.",
  ),
  LIMIT_API: setting(
    { kind: "integer", min: 0, max: MAX_PER_MINUTE, default: 100 },
    "Requests per minute for each user, or for each address when the caller is not signed in; 0 means no limit.",
  ),
  LIMIT_AUTH: setting(
    { kind: "integer", min: 0, max: MAX_PER_MINUTE, default: 10 },
    "Attempts to sign up or sign in per minute for each address, and ten times as many for each e-mail address that they name; 0 means no limit.",
  ),
  LIMIT_AI: setting(
    { kind: "integer", min: 0, max: MAX_PER_MINUTE, default: 30 },
    "Answers of agents that each user may start per minute; 0 means no limit.",
  ),
  LIMIT_TOOLS: setting(
    { kind: "integer", min: 0, max: MAX_PER_MINUTE, default: 50 },
    "Tool calls of agents per minute for each user; 0 means no limit.",
  ),
  LIMIT_WEBHOOKS: setting(
    { kind: "integer", min: 0, max: MAX_PER_MINUTE, default: 100 },
    "Requests to webhooks per minute for each user. Further deliveries and their retries wait; further tests and manual retries are rejected. 0 means no limit.",
  ),
  REDIS_URL: setting(
    { kind: "redis-url", default: null, secret: true },
    "Redis or Valkey in which all nodes share their counts. Without it, and while it is unavailable, each node counts by itself.",
  ),
};
