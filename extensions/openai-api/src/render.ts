/** A frame of server-sent events. */
export function renderFrame(data: unknown, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** In seconds. The id of a run begins with the time of its creation, so that a repeated request gets the same. */
export function createdAtOf(runId: string | null): number {
  const [high = "", low = ""] = runId?.split("-") ?? [];
  return Math.floor(Number.parseInt(high + low, 16) / 1_000);
}
