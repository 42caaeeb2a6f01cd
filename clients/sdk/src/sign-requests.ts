/** The part of a request that a signature covers, and its value. */
export type SignedComponent = readonly [name: string, value: string];

export interface SignedFetchOptions {
  /** From the function `request-signing`, as it was shown. */
  readonly secret: string;
  /** The id of the user to whom the secret belongs. */
  readonly userId: string;
  /** Sends the signed requests: the fetch of the platform, or one of your own. */
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  readonly now?: () => Date;
}

const NONCE_BYTES = 16;
const encoder = new TextEncoder();

/**
 * Returns a fetch that signs every request with an HTTP message signature (RFC 9421), for plain HTTPS or as `global.fetch` of
 * supabase-js. A request that is sent again needs a new signature, so retry by calling it again.
 */
export function createSignedFetch(
  options: SignedFetchOptions,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const { secret, userId, fetch: send, now = () => new Date() } = options;
  const key = crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  // The caller may never send a request; without a handler the rejection would be unhandled.
  key.catch(() => {});
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, redirect, signal } = request;
    const url = new URL(request.url);
    const headers = new Headers(request.headers);
    const body = request.body === null ? null : await request.arrayBuffer();
    const components: SignedComponent[] = [
      ["@method", method],
      ["@path", url.pathname],
      ["@query", url.search === "" ? "?" : url.search],
    ];
    if (body !== null && body.byteLength > 0) {
      const digest = `sha-256=:${toBase64(await crypto.subtle.digest("SHA-256", body))}:`;
      headers.set("content-digest", digest);
      components.push(["content-digest", digest]);
    }
    const names = components.map(([name]) => `"${name}"`).join(" ");
    const created = Math.floor(now().getTime() / 1000);
    const nonce = toBase64(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)).buffer);
    const params = `(${names});created=${created};nonce="${nonce}";keyid="${userId}";alg="hmac-sha256"`;
    const base = encoder.encode(buildSignatureBase(components, params));
    headers.set("signature-input", `sig=${params}`);
    headers.set("signature", `sig=:${toBase64(await crypto.subtle.sign("HMAC", await key, base))}:`);
    return send(request.url, { ...init, method, headers, redirect, signal, ...(body !== null && { body }) });
  };
}

/** The text that is signed (RFC 9421, 2.5). The parameters are the value of Signature-Input without its label. */
export function buildSignatureBase(components: readonly SignedComponent[], params: string): string {
  return [...components, ["@signature-params", params] as const]
    .map(([name, value]) => `"${name}": ${value}`)
    .join("\n");
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
