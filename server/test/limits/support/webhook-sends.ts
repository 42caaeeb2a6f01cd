import type { WebhookSend } from "../../../src/limits/index.ts";

/** Counts sends in this process, in a window that never ends. */
export function countSendsHere(limit: number): (userId: string) => Promise<WebhookSend> {
  const sent = new Map<string, number>();
  return async (userId) => {
    const before = sent.get(userId) ?? 0;
    const isGranted = before < limit;
    if (isGranted) sent.set(userId, before + 1);
    return { isGranted, remaining: Math.max(0, limit - before - 1), leftMs: 60_000 };
  };
}
