import {
  AppError,
  type AuthErrorCode,
  defineExtension,
  type ErrorCode,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
} from "swarmbase/extension";
import type { SiteFile } from "./site-file.ts";
import { openSite } from "./site.ts";

/** Pages lie at most three folders deep: `/docs/reference/events/<type>.json`. */
const PATHS = ["/docs", "/docs/", "/docs/:name", "/docs/:folder/:name", "/docs/:folder/:inner/:name"];
const TEXT_PATHS = ["/llms.txt", "/llms-full.txt"];

/** Browsers keep the files and revalidate them before each use, because another version of the service has other files. */
const CACHE_CONTROL = "no-cache";

const site = openSite();

/** The documentation as pages. It contains public information only. */
export const extension = defineExtension({
  name: "docs-site",
  summary: "the documentation at /docs, and as text for programs",
  docs: new URL("../README.md", import.meta.url),
  routes: [...PATHS, ...TEXT_PATHS].map((path) => ({
    method: "GET",
    path,
    access: "public",
    limit: null,
    handler: sendFile,
  })),
  findHelp,
  commands: [
    {
      name: "docs",
      summary: "search and read the documentation",
      help: `
Usage: swarmbase docs <words>
       swarmbase docs --page <page>[#<section>]

Searches the documentation of this release, or prints a page or one of its sections as Markdown. It needs no running service.

--page  a page as the search names it, such as guides/agents or guides/agents#streaming.`,
      run: async (context) => (await import("./command/run-docs.ts")).runDocs(context),
    },
  ],
});

async function sendFile(
  { path, headers }: ExtensionRequest,
  { version }: ExtensionContext,
): Promise<ExtensionResponse> {
  const found = await site.findFile(path, version);
  const wantsPage = /text\/html/i.test(headers["accept"] ?? "");
  if (found === null && !wantsPage) throw new AppError("NOT_FOUND", "There is no documentation at this path");
  const file = found ?? (await site.getMissingPage(version));
  const sent = { ...file.headers, etag: file.etag, "cache-control": CACHE_CONTROL, vary: "accept-encoding" };
  if (found !== null && matchesTag(headers["if-none-match"], file.etag)) return { status: 304, headers: sent };
  const { encoding, body } = chooseEncoding(headers["accept-encoding"], file);
  return {
    status: found === null ? 404 : 200,
    headers: { ...sent, ...(encoding !== null && { "content-encoding": encoding }) },
    body,
  };
}

/** Codes of the service are in upper case, those of accounts in lower case. */
function findHelp(code: ErrorCode | AuthErrorCode | null): string {
  if (code === null) return "/docs/reference/rest#errors";
  const page = code === code.toUpperCase() ? "errors" : "auth-errors";
  return `/docs/reference/${page}#${code.toLowerCase()}`;
}

/** The body in the smallest form that the client accepts. */
function chooseEncoding(
  acceptEncoding: string | undefined,
  { body, compressed }: SiteFile,
): { readonly encoding: string | null; readonly body: Buffer } {
  for (const [encoding, bytes] of Object.entries(compressed)) {
    if (accepts(acceptEncoding ?? "", encoding)) return { encoding, body: bytes };
  }
  return { encoding: null, body };
}

function accepts(acceptEncoding: string, encoding: string): boolean {
  return acceptEncoding.split(",").some((offer) => {
    const [name = "", ...parameters] = offer.split(";").map((word) => word.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Compares weakly, as RFC 9110 requires for GET. */
function matchesTag(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? "").split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}
