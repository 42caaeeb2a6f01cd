import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** What a request asks for. */
export interface AskedFor {
  accepts(encoding: string): boolean;
  /** Whether the client holds the file with this tag. */
  holds(etag: string): boolean;
}

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface ConsoleFile {
  readonly plain: Buffer;
  /** By content encoding, the preferred one first. */
  readonly encoded: Readonly<Record<string, Buffer | undefined>>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** By path, such as "/assets/…". No other file is served. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** Permits only what the service itself serves: no inline script or style, no other origin, no frame, no text that becomes markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Lets pages of these origins show a page of the console in a frame. */
export function allowFrames(answer: ConsoleAnswer, ancestors: readonly string[]): ConsoleAnswer {
  if (ancestors.length === 0) return answer;
  // X-Frame-Options knows no list of origins, and old browsers would forbid what the policy permits.
  const { "x-frame-options": _denied, ...headers } = answer.headers;
  const policy = POLICY.replace("frame-ancestors 'none'", `frame-ancestors ${ancestors.join(" ")}`);
  return { ...answer, headers: { ...headers, "content-security-policy": policy } };
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};
const IMMUTABLE = "public, max-age=31536000, immutable";
const REVALIDATE = "no-cache";
const HASHED_FOLDER = "/assets/";
const COMPRESSED = /\.(?:br|gz)$/;

export async function loadFiles(folder: string): Promise<ConsoleFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const bytes = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
  const files = new Map<string, ConsoleFile>();
  for (const [path, plain] of bytes) {
    const type = TYPES[extname(path)];
    if (COMPRESSED.test(path) || type === undefined) continue;
    const name = `/${relative(folder, path).split(sep).join("/")}`;
    const digest = createHash("sha256").update(plain).digest("base64url");
    files.set(name, {
      plain,
      encoded: { br: bytes.get(`${path}.br`), gzip: bytes.get(`${path}.gz`) },
      etag: `"${digest}"`,
      headers: {
        ...PAGE_HEADERS,
        "content-type": type,
        "cache-control": name.startsWith(HASHED_FOLDER) ? IMMUTABLE : REVALIDATE,
        // A cache must not send a compressed file to a client that does not accept it.
        vary: "accept-encoding",
      },
    });
  }
  return files;
}

export function answerWithFile(file: ConsoleFile, asked: AskedFor): ConsoleAnswer {
  const headers = { ...file.headers, etag: file.etag };
  if (asked.holds(file.etag)) return { status: 304, headers, body: Buffer.alloc(0) };
  for (const [encoding, body] of Object.entries(file.encoded)) {
    if (body !== undefined && asked.accepts(encoding))
      return { status: 200, headers: { ...headers, "content-encoding": encoding }, body };
  }
  return { status: 200, headers, body: file.plain };
}
