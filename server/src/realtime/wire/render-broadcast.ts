import { type OutFrame, TOPIC_PREFIX, type Vsn } from "./protocol.ts";
import { renderFrame } from "./render-frame.ts";

export interface BroadcastContent {
  readonly name: string;
  readonly event: string;
  readonly isBinary: boolean;
  /** Valid JSON unless `isBinary`. */
  readonly payload: Buffer;
  /** JSON text of an object. */
  readonly meta: string | null;
}

const KIND_BROADCAST = 4;
const MAX_TEXT_BYTES = 255;

/** Null when the protocol version cannot express it. */
export function renderBroadcast(vsn: Vsn, content: BroadcastContent): OutFrame | null {
  const topic = TOPIC_PREFIX + content.name;
  if (vsn === "2.0.0") {
    const frame = renderBinary(topic, content);
    if (frame !== null) return frame;
  }
  if (content.isBinary) return null;
  const meta = content.meta === null ? "" : `,"meta":${content.meta}`;
  const payload = `{"type":"broadcast","event":${JSON.stringify(content.event)},"payload":${content.payload.toString()}${meta}}`;
  return renderFrame(vsn, { joinRef: null, ref: null, topic, event: "broadcast" }, payload);
}

/** Null when a part is longer than its length byte allows; the frame is then sent as text. */
function renderBinary(topic: string, { event, meta, isBinary, payload }: BroadcastContent): OutFrame | null {
  const texts = [topic, event, meta ?? ""].map((text) => Buffer.from(text));
  if (texts.some((text) => text.length > MAX_TEXT_BYTES)) return null;
  const header = Buffer.from([KIND_BROADCAST, ...texts.map((text) => text.length), isBinary ? 0 : 1]);
  return { bytes: Buffer.concat([header, ...texts, payload]), isBinary: true };
}
