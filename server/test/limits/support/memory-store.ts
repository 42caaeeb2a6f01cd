import type { SharedStore } from "../../../src/limits/index.ts";

export interface MemoryStore extends SharedStore {
  isReady: boolean;
  /** Whether it responds, fails, or does not respond. */
  mood: "well" | "failing" | "silent";
  asked: number;
}

/** Counts with an expiry, as Redis does with the script that is sent to it. */
export function createMemoryStore(): MemoryStore {
  const counts = new Map<string, { count: number; endsAtMs: number }>();
  return {
    isReady: true,
    mood: "well",
    asked: 0,
    async eval(_script, { keys, arguments: [points, seconds] }) {
      this.asked += 1;
      if (this.mood === "failing") throw new Error("READONLY");
      if (this.mood === "silent") return new Promise(() => {});
      const [key = ""] = keys;
      const nowMs = Date.now();
      const known = counts.get(key);
      const window =
        known !== undefined && known.endsAtMs > nowMs ? known : { count: 0, endsAtMs: nowMs + Number(seconds) * 1000 };
      window.count += Number(points);
      counts.set(key, window);
      return [window.count, window.endsAtMs - nowMs];
    },
  };
}
