import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { AskedFor, ConsoleAnswer } from "./console-module.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

export interface ConsoleFile {
  readonly plain: Buffer;
  readonly brotli: Buffer | null;
  readonly gzip: Buffer | null;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** By path as a browser asks for it, "/assets/…". What is not in here cannot be asked for, whatever the path says. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

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
const A_YEAR = "public, max-age=31536000, immutable";
const ASK_AGAIN = "no-cache";
const HASHED_FOLDER = "/assets/";
const SQUEEZED = /\.(?:br|gz)$/;

export async function loadFiles(folder: string): Promise<ConsoleFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const bytes = new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
  const files = new Map<string, ConsoleFile>();
  for (const [path, plain] of bytes) {
    const type = TYPES[extname(path)];
    if (SQUEEZED.test(path) || type === undefined) continue;
    const name = `/${relative(folder, path).split(sep).join("/")}`;
    const digest = createHash("sha256").update(plain).digest("base64url");
    files.set(name, {
      plain,
      brotli: bytes.get(`${path}.br`) ?? null,
      gzip: bytes.get(`${path}.gz`) ?? null,
      etag: `"${digest}"`,
      headers: {
        ...PAGE_HEADERS,
        "content-type": type,
        "cache-control": name.startsWith(HASHED_FOLDER) ? A_YEAR : ASK_AGAIN,
        // The same bytes in another encoding are not the same answer.
        vary: "accept-encoding",
      },
    });
  }
  return files;
}

export function answerWithFile(file: ConsoleFile, { acceptEncoding, ifNoneMatch }: AskedFor): ConsoleAnswer {
  const headers = { ...file.headers, etag: file.etag };
  if (hasTag(ifNoneMatch, file.etag)) return { status: 304, headers, body: Buffer.alloc(0) };
  if (file.brotli !== null && takes(acceptEncoding, "br"))
    return { status: 200, headers: { ...headers, "content-encoding": "br" }, body: file.brotli };
  if (file.gzip !== null && takes(acceptEncoding, "gzip"))
    return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: file.gzip };
  return { status: 200, headers, body: file.plain };
}

function takes(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(",").some((offer) => {
    const [name = "", ...rest] = offer.split(";").map((word) => word.trim().toLowerCase());
    return name === encoding && !rest.some((word) => /^q=0(?:\.0*)?$/.test(word));
  });
}

/** Weakly, as RFC 9110 wants it for reading. */
function hasTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
