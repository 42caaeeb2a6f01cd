import { createHash } from "node:crypto";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

export interface SiteFile {
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** By content encoding, the preferred one first. */
  readonly compressed: Readonly<Record<string, Buffer>>;
}

/** Permits only what the service itself serves: no inline script or style, no other origin, no frame, no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "x-frame-options": "DENY",
};

/** A picture can be opened as a document of its own, in which its styles apply and its scripts do not. */
const PICTURE_HEADERS = { "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'" };

const TYPES: Readonly<Record<string, { readonly type: string; readonly headers?: Readonly<Record<string, string>> }>> =
  {
    ".html": { type: "text/html; charset=utf-8", headers: PAGE_HEADERS },
    ".css": { type: "text/css; charset=utf-8" },
    ".js": { type: "text/javascript; charset=utf-8" },
    ".json": { type: "application/json; charset=utf-8" },
    ".md": { type: "text/markdown; charset=utf-8" },
    ".txt": { type: "text/plain; charset=utf-8" },
    ".svg": { type: "image/svg+xml", headers: PICTURE_HEADERS },
    ".webp": { type: "image/webp" },
  };

const BROTLI_QUALITY = 9;

/** The extension of the name decides the type; null for a type that the site does not serve. */
export async function packFile(name: string, content: string | Buffer): Promise<SiteFile | null> {
  const found = TYPES[extname(name)];
  if (found === undefined) return null;
  const body = Buffer.from(content);
  const digest = createHash("sha256").update(body).digest("base64url");
  return {
    etag: `"${digest}"`,
    headers: { "content-type": found.type, ...found.headers },
    body,
    compressed: found.type === "image/webp" ? {} : await compress(body),
  };
}

async function compress(body: Buffer): Promise<SiteFile["compressed"]> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(body, { params }), promisify(gzip)(body)]);
  return { br, gzip: gzipped };
}
