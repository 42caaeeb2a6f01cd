export const MESSAGE_SENDER_TYPES = ["user", "agent", "system"] as const;
export type MessageSenderType = (typeof MESSAGE_SENDER_TYPES)[number];

/** The first one is the default of a new message. */
export const MESSAGE_CONTENT_TYPES = ["text", "markdown"] as const;
export type MessageContentType = (typeof MESSAGE_CONTENT_TYPES)[number];

export const MESSAGE_FLAG_SOURCES = ["user", "moderation", "guardrail"] as const;
export type MessageFlagSource = (typeof MESSAGE_FLAG_SOURCES)[number];

/** A new flag is open; the swarm's owner and admins decide it. */
export const MESSAGE_FLAG_STATUSES = ["open", "upheld", "dismissed"] as const;
export type MessageFlagStatus = (typeof MESSAGE_FLAG_STATUSES)[number];
