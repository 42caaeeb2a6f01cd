const TIMEOUT_MS = 3_000;

/** Resolves when the store responds; for health checks before start-up. */
export async function pingStore(url: string): Promise<void> {
  const { createClient } = await import("@redis/client");
  const client = createClient({ url, socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false } });
  client.on("error", () => {});
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  try {
    await Promise.race([client.connect().then(() => client.ping()), late]);
  } finally {
    clearTimeout(timer);
    client.destroy();
  }
}
