export interface Frame {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses server-sent events; comments are skipped. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const frames = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const event = /^event: (.+)$/m.exec(frame)?.[1];
      const text = /^data: (.+)$/m.exec(frame)?.[1];
      if (event !== undefined) yield { event, fields: JSON.parse(text ?? "{}") as Frame["fields"] };
    }
  }
}
