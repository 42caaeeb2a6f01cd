import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { InterfaceDescription } from "swarmbase/extension";
import { buildOpenApi } from "./openapi/build-open-api.ts";
import { renderPage } from "./page/render-page.ts";

export interface ReferenceFile {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Allows the page's own files only: nothing inline, nothing from other origins. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
} as const;

interface FileText {
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const RENDERERS: Readonly<Record<string, (description: InterfaceDescription) => FileText>> = {
  "/openapi.json": (description) => ({ type: TYPES.json, text: renderOpenApi(description) }),
  "/reference": (description) => ({
    type: TYPES.html,
    text: renderPage(buildOpenApi(description)),
    headers: { "content-security-policy": PAGE_POLICY },
  }),
  "/reference/reference.css": () => ({ type: TYPES.css, text: readAsset("reference.css") }),
  "/reference/reference.js": () => ({ type: TYPES.js, text: readAsset("reference.js") }),
};

const rendered = new WeakMap<InterfaceDescription, Map<string, Promise<ReferenceFile>>>();

/** The document, the page or one of its files, rendered on the first request; null for any other path. */
export function findReferenceFile(description: InterfaceDescription, path: string): Promise<ReferenceFile> | null {
  const render = Object.hasOwn(RENDERERS, path) ? RENDERERS[path] : undefined;
  if (render === undefined) return null;
  const files = rendered.get(description) ?? new Map<string, Promise<ReferenceFile>>();
  rendered.set(description, files);
  const file = files.get(path) ?? packFile(render(description));
  files.set(path, file);
  return file;
}

/** The text of `docs/reference/openapi.json`; `npm run check` compares the two. */
export function renderOpenApi(description: InterfaceDescription): string {
  return `${JSON.stringify(buildOpenApi(description), null, 2)}\n`;
}

async function packFile({ type, text, headers = {} }: FileText): Promise<ReferenceFile> {
  const body = Buffer.from(text);
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { type, etag: `"${digest}"`, body, gzipped: await promisify(gzip)(body), headers };
}

function readAsset(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), "utf8");
}
