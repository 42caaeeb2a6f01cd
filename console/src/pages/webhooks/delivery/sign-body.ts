const encoder = new TextEncoder();

/** Computes the signature of a delivery like the service: an HMAC of timestamp and body, keyed with the text of the secret. */
export async function signBody(secret: string, timestamp: string, body: string): Promise<string> {
  const usage = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), usage, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}.${body}`)));
  return `sha256=${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
