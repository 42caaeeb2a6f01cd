/** 1.0.0: every frame is a JSON object. 2.0.0: JSON arrays, and binary frames for broadcasts. */
export type Vsn = "1.0.0" | "2.0.0";

/** The default is 1.0.0, as in Phoenix. */
export function parseVsn(text: string | null): Vsn | null {
  if (text === null || text === "" || text === "1.0.0") return "1.0.0";
  return text === "2.0.0" ? text : null;
}

export const TOPIC_PREFIX = "realtime:";
/** The topic that heartbeats are sent to. */
export const SOCKET_TOPIC = "phoenix";

/** A rendered frame, which all sockets of one protocol version can share. */
export interface OutFrame {
  readonly bytes: Buffer;
  readonly isBinary: boolean;
}
