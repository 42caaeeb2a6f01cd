import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { buildOpenApi } from "./openapi/build-openapi.ts";
import type { RouteSources } from "./openapi/routes-described.ts";
import { renderPage } from "./page/render-page.ts";

export interface ReferenceFile {
  readonly type: string;
  readonly etag: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ReferenceModule {
  /** Null where there is no such file. */
  find(path: string): Promise<ReferenceFile | null>;
}

/** Nothing from elsewhere, nothing inline: what is not one of our own files does not run and does not show. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
} as const;

type Make = () => { readonly type: string; readonly text: string; readonly headers?: Readonly<Record<string, string>> };

/** The document and the page that shows it. Each is made when it is first asked for, and kept. */
export function openReference(sources: RouteSources): ReferenceModule {
  const makers: Readonly<Record<string, Make>> = {
    "/openapi.json": () => ({ type: TYPES.json, text: renderOpenApi(sources) }),
    "/reference": () => ({
      type: TYPES.html,
      text: renderPage(buildOpenApi(sources)),
      headers: { "content-security-policy": PAGE_POLICY },
    }),
    "/reference/reference.css": () => ({ type: TYPES.css, text: readAsset("reference.css") }),
    "/reference/reference.js": () => ({ type: TYPES.js, text: readAsset("reference.js") }),
  };
  const made = new Map<string, Promise<ReferenceFile>>();
  return {
    async find(path) {
      const make = Object.hasOwn(makers, path) ? makers[path] : undefined;
      if (make === undefined) return null;
      const known = made.get(path) ?? makeFile(make);
      made.set(path, known);
      return known;
    },
  };
}

/** The text of `docs/reference/openapi.json`, which a check compares with it. */
export function renderOpenApi(sources: RouteSources): string {
  return `${JSON.stringify(buildOpenApi(sources), null, 2)}\n`;
}

async function makeFile(make: Make): Promise<ReferenceFile> {
  const { type, text, headers = {} } = make();
  const body = Buffer.from(text);
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { type, etag: `"${digest}"`, body, gzipped: await promisify(gzip)(body), headers };
}

function readAsset(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), "utf8");
}
