import { after } from "node:test";
import type { Cleanup } from "../support/database.ts";

/** Closes shared resources of a suite when it ends, in reverse order. */
export function collectClosers(): Cleanup {
  const closers: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return { after: (close) => void closers.push(close) };
}
