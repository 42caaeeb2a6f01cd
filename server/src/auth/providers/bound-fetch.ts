/** Documents, key sets and answers of identity providers are short. */
const MAX_BYTES = 262_144;
const TIMEOUT_MS = 10_000;

/** Bounds the size of an answer, and the time until its last byte. The defaults are for identity providers. */
export function boundFetch(send: typeof fetch, { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = {}): typeof fetch {
  return async (input, init = {}) => {
    const signals = [AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
    const response = await send(input, { ...init, signal: AbortSignal.any(signals) });
    const chunks: Uint8Array[] = [];
    let length = 0;
    // Leaving the loop cancels the rest.
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > maxBytes) throw new Error("the answer is too long");
      chunks.push(chunk);
    }
    const { status, statusText, headers } = response;
    const body = chunks.length === 0 ? null : Buffer.concat(chunks);
    return new Response(body, { status, statusText, headers: [...headers] });
  };
}
