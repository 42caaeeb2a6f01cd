/**
 * Controls how the scripted provider answers a call. It is part of the agent's prompt, so that only public interfaces
 * are used.
 */
export interface ProviderScript {
  /** Delay before the first piece. */
  readonly delayMs: number;
  readonly pieces: number;
  /** 0: all pieces at once. */
  readonly piecesPerSecond: number;
  /** The first piece is the time at which it is written. */
  readonly isStamped: boolean;
}

/** A message to which the provider answers with two calls of `json_query`, whose results have a kilobyte each. */
export const LOOK_UP = "Look it up.";

const MARKER = /script:(\{[^}]*\})/;

export function writeScript(script: ProviderScript): string {
  return `script:${JSON.stringify(script)}`;
}

export function readScript(text: string): ProviderScript | null {
  const [, json] = MARKER.exec(text) ?? [];
  return json === undefined ? null : (JSON.parse(json) as ProviderScript);
}

/** The monotonic clock, which all processes of the machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
