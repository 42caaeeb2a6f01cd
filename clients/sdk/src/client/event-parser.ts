/** One server-sent event. */
export interface ServerSentEvent {
  /** Null when the event has no id of its own. */
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

interface EventParser {
  /** Takes the next piece of the stream and returns the events that it completes. */
  push(text: string): ServerSentEvent[];
}

/** Parses `text/event-stream` (HTML standard, 9.2.6) from pieces that may end anywhere. */
export function createEventParser(): EventParser {
  let rest = "";
  let isFirst = true;
  let fields = emptyFields();

  const finish = (): ServerSentEvent | null => {
    const { id, event, lines } = fields;
    fields = emptyFields();
    return lines.length === 0 ? null : { id, event: event || "message", data: lines.join("\n") };
  };
  const readLine = (line: string): ServerSentEvent | null => {
    if (line === "") return finish();
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") fields.lines.push(value);
    else if (name === "event") fields.event = value;
    else if (name === "id" && !value.includes("\0")) fields.id = value;
    return null;
  };

  return {
    push(text) {
      const fresh = isFirst && text !== "" ? text.replace(/^\uFEFF/, "") : text;
      isFirst &&= text === "";
      // A carriage return at the end may be the first half of a line break.
      const isSplit = (rest + fresh).endsWith("\r");
      // Without a line break the piece only continues the line, so a long line is not scanned again and again.
      if (!/[\r\n]/.test(fresh) && !rest.endsWith("\r")) {
        rest += fresh;
        return [];
      }
      const whole = isSplit ? (rest + fresh).slice(0, -1) : rest + fresh;
      const lines = whole.split(/\r\n|\n|\r/);
      rest = (lines.pop() ?? "") + (isSplit ? "\r" : "");
      return lines.flatMap((line) => readLine(line) ?? []);
    },
  };
}

function emptyFields(): { id: string | null; event: string; lines: string[] } {
  return { id: null, event: "", lines: [] };
}
