/** 1.0.0: every frame is a JSON object. 2.0.0: JSON arrays, and binary frames for broadcasts. */
export type Vsn = "1.0.0" | "2.0.0";

/** As sockets of the protocol's makers do, one that names no version speaks the first. */
export function parseVsn(text: string | null): Vsn | null {
  if (text === null || text === "" || text === "1.0.0") return "1.0.0";
  return text === "2.0.0" ? text : null;
}

export const TOPIC_PREFIX = "realtime:";
/** The topic that heartbeats are sent to. */
export const SOCKET_TOPIC = "phoenix";

/** Bytes that can be sent to any number of sockets of one protocol version. */
export interface OutFrame {
  readonly bytes: Buffer;
  readonly isBinary: boolean;
}
