const LINES_IN_WINDOW = 5;
const WINDOW_MS = 10_000;

export interface LeftOut {
  readonly count: number;
  readonly windowMs: number;
}

export interface Sampler {
  /** Whether the line may be logged. The number of omitted lines is logged once, when the window ends. */
  admits(name: string, onLeftOut: (leftOut: LeftOut) => void): boolean;
}

interface Window {
  lines: number;
  leftOut: number;
}

/** A fault that affects every request must not fill the disk with equal lines. */
export function createSampler({ windowMs = WINDOW_MS }: { readonly windowMs?: number } = {}): Sampler {
  const windows = new Map<string, Window>();
  const open = (name: string, onLeftOut: (leftOut: LeftOut) => void): Window => {
    const window: Window = { lines: 0, leftOut: 0 };
    windows.set(name, window);
    setTimeout(() => {
      windows.delete(name);
      if (window.leftOut > 0) onLeftOut({ count: window.leftOut, windowMs });
    }, windowMs).unref();
    return window;
  };
  return {
    admits(name, onLeftOut) {
      const window = windows.get(name) ?? open(name, onLeftOut);
      if (window.lines < LINES_IN_WINDOW) {
        window.lines += 1;
        return true;
      }
      window.leftOut += 1;
      return false;
    },
  };
}
