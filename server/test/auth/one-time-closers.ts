import { after } from "node:test";
import type { Cleanup } from "../support/database.ts";

/** What tests of one suite share is closed when the suite ends, last opened first. */
export function collectClosers(): Cleanup {
  const closers: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return { after: (close) => void closers.push(close) };
}
