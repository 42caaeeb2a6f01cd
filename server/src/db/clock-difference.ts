/** Tokens and signatures are dated by one clock and judged by the other. */
export const MOST_APART_MS = 5_000;

export interface ClockReading {
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly serverMs: number;
}

export interface ClockDifference {
  /** At least so much, whenever on the way the server looked at its clock. */
  readonly apartMs: number;
  readonly text: string;
}

export function compareClocks({ askedAtMs, answeredAtMs, serverMs }: ClockReading): ClockDifference {
  const differenceMs = (askedAtMs + answeredAtMs) / 2 - serverMs;
  const apartMs = Math.max(0, Math.abs(differenceMs) - (answeredAtMs - askedAtMs));
  const text = `this machine's clock is ${Math.round(apartMs / 1000)} seconds ${differenceMs > 0 ? "ahead of" : "behind"} the database's`;
  return { apartMs, text };
}
