/** What the scripted provider does with a call. It stands in the agent's prompt, so that nothing but public surfaces is used. */
export interface ProviderScript {
  /** Before the first piece. */
  readonly delayMs: number;
  readonly pieces: number;
  /** 0: all at once. */
  readonly piecesPerSecond: number;
  /** The first piece is the time of its writing. */
  readonly isStamped: boolean;
}

const MARKER = /script:(\{[^}]*\})/;

export function writeScript(script: ProviderScript): string {
  return `script:${JSON.stringify(script)}`;
}

export function readScript(text: string): ProviderScript | null {
  const [, json] = MARKER.exec(text) ?? [];
  return json === undefined ? null : (JSON.parse(json) as ProviderScript);
}

/** The machine's monotonic clock, which its processes share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
