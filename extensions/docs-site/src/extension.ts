import {
  AppError,
  type AuthErrorCode,
  defineExtension,
  type ErrorCode,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
} from "swarmbase/extension";
import { chooseEncoding, matchesTag } from "./negotiation.ts";
import { openSite } from "./site.ts";

/** Pages lie at most three folders deep: `/docs/reference/events/<type>.json`. */
const PATHS = ["/docs", "/docs/", "/docs/:name", "/docs/:folder/:name", "/docs/:folder/:inner/:name"];

/** Browsers keep the files and revalidate them before each use, because another version of the service has other files. */
const CACHE_CONTROL = "no-cache";

const site = openSite();

/** The documentation as pages. It contains public information only. */
export const extension = defineExtension({
  name: "docs-site",
  summary: "the documentation at /docs",
  docs: new URL("../README.md", import.meta.url),
  routes: PATHS.map((path) => ({ method: "GET", path, access: "public", limit: null, handler: sendFile })),
  findHelp,
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
