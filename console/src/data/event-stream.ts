/** One event of a stream. */
export interface StreamEvent {
  readonly id: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const FRAME_END = /\r?\n\r?\n/;

/** Yields the events of a text/event-stream response as they arrive. Skips comments. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      pending += value;
      const frames = pending.split(FRAME_END);
      pending = frames.pop() ?? "";
      for (const frame of frames) {
        const event = parseFrame(frame);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function parseFrame(frame: string): StreamEvent | null {
  const fields = new Map<string, string>();
  for (const line of frame.split(/\r?\n/)) {
    const index = line.indexOf(":");
    if (index <= 0) continue;
    const name = line.slice(0, index);
    const value = line.slice(index + 1).replace(/^ /, "");
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const data = parseData(fields.get("data"));
  return data === null ? null : { id: Number(fields.get("id") ?? 0), type: fields.get("event") ?? "message", data };
}

function parseData(text: string | undefined): StreamEvent["data"] | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as StreamEvent["data"]) : null;
  } catch {
    return null;
  }
}
