import type { Observer } from "../observe/index.ts";

export type Closers = ReturnType<typeof createClosers>;

/** Closes parts in the reverse order of their start; a part that fails to close does not keep the others open. */
export function createClosers(observer: Observer) {
  const stack: { part: string; close: () => Promise<void> }[] = [];
  const closeAll = async (): Promise<void> => {
    for (let last = stack.pop(); last !== undefined; last = stack.pop()) {
      const { part } = last;
      await last.close().catch((error: unknown) => observer.note("service.stop_failed", { part, error }));
    }
  };
  let closing: Promise<void> | null = null;
  return {
    add: (part: string, close: () => Promise<void>): void => void stack.push({ part, close }),
    closeAll: (): Promise<void> => (closing ??= closeAll()),
  };
}
