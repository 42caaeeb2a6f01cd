import type { Person, Row } from "./people.ts";
import type { Service } from "./service.ts";

/** One event of a stream, unparsed. */
export interface Frame {
  readonly id: number;
  readonly event: string;
  readonly data: Row;
}

export interface Stream {
  readonly status: number;
  readonly headers: Headers;
  /** Returns the next event; null at the end of the stream. */
  next(): Promise<Frame | null>;
  /** Returns all events up to and including the first of this name, or to the end. */
  until(event: string): Promise<Frame[]>;
  rest(): Promise<Frame[]>;
  /** Closes the connection. */
  leave(): Promise<void>;
}

export type AskStream = (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Stream>;

/** Calls `agent-respond` as a stream over plain HTTPS. */
export function streamsOf({ credentials }: Service, { session }: Pick<Person, "session">): AskStream {
  return async (body, headers = {}) => {
    const leaving = new AbortController();
    const response = await fetch(`${credentials.url}/functions/v1/agent-respond`, {
      method: "POST",
      headers: {
        apikey: credentials.anon_key,
        authorization: `Bearer ${session.access_token}`,
        "content-type": "application/json",
        accept: "text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    return openStream(response, leaving);
  };
}

export function openStream(response: Response, leaving = new AbortController()): Stream {
  const frames = readFrames(response);
  const next = async (): Promise<Frame | null> => {
    const { value, done } = await frames.next();
    return done === true ? null : value;
  };
  const until = async (event: string): Promise<Frame[]> => {
    const read: Frame[] = [];
    for (let frame = await next(); frame !== null; frame = await next()) {
      read.push(frame);
      if (frame.event === event) break;
    }
    return read;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    until,
    rest: () => until(""),
    leave: async () => leaving.abort(),
  };
}

async function* readFrames(response: Response): AsyncGenerator<Frame, void, undefined> {
  if (response.body === null) return;
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) if (!block.startsWith(":")) yield parseFrame(block);
  }
}

function parseFrame(block: string): Frame {
  const fields = new Map(block.split("\n").map((line) => [line.split(": ", 1)[0] ?? "", line.replace(/^\w+: /, "")]));
  return {
    id: Number(fields.get("id")),
    event: fields.get("event") ?? "",
    data: JSON.parse(fields.get("data") ?? "{}") as Row,
  };
}
