import type { OutFrame, Vsn } from "./protocol.ts";

interface FrameAddress {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
}

/** The payload is JSON text, so that several frames can share one serialisation. */
export function renderFrame(vsn: Vsn, address: FrameAddress, payloadJson: string): OutFrame {
  const { head, tail } = renderFrameEnds(vsn, address);
  return { bytes: Buffer.from(head + payloadJson + tail), isBinary: false };
}

/** The text before and after the payload. */
export function renderFrameEnds(vsn: Vsn, address: FrameAddress): { head: string; tail: string } {
  const [joinRef, ref, topic, event] = [address.joinRef, address.ref, address.topic, address.event].map((part) =>
    JSON.stringify(part),
  );
  if (vsn === "2.0.0") return { head: `[${joinRef},${ref},${topic},${event},`, tail: "]" };
  return { head: `{"topic":${topic},"event":${event},"ref":${ref},"join_ref":${joinRef},"payload":`, tail: "}" };
}

export function renderReply(
  vsn: Vsn,
  request: Pick<FrameAddress, "joinRef" | "ref" | "topic">,
  status: "ok" | "error",
  response: object = {},
): OutFrame {
  return renderFrame(vsn, { ...request, event: "phx_reply" }, JSON.stringify({ status, response }));
}
