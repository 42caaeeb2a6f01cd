/** One clock dates tokens and signatures, the other one checks them. */
export const MOST_APART_MS = 5_000;

export interface ClockReading {
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
  readonly serverMs: number;
}

export interface ClockDifference {
  /** A lower bound: the server read its clock at an unknown moment of the round trip. */
  readonly apartMs: number;
  readonly text: string;
}

export function compareClocks({ askedAtMs, answeredAtMs, serverMs }: ClockReading): ClockDifference {
  const differenceMs = (askedAtMs + answeredAtMs) / 2 - serverMs;
  const apartMs = Math.max(0, Math.abs(differenceMs) - (answeredAtMs - askedAtMs));
  const text = `this machine's clock is ${Math.round(apartMs / 1000)} seconds ${differenceMs > 0 ? "ahead of" : "behind"} that of the database`;
  return { apartMs, text };
}
