/** A frame of server-sent events. */
export function renderFrame(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function toSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}

/** In seconds. The id of a run begins with the time of its creation, so that a repeated request gets the same. */
export function createdAtOf(runId: string | null): number {
  const [high = "", low = ""] = runId?.split("-") ?? [];
  return Math.floor(Number.parseInt(high + low, 16) / 1_000);
}
