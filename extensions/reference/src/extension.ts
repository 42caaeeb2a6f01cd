import {
  AppError,
  defineExtension,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  lazy,
} from "swarmbase/extension";
import { describeSchema } from "./swagger/describe-schema.ts";

const findReferenceFile = lazy(async () => (await import("./reference-files.ts")).findReferenceFile);
const PATHS = ["/openapi.json", "/reference", "/reference/:file"];

/** Browsers keep the files and revalidate them before each use, because another version of the service has other files. */
const CACHE_CONTROL = "no-cache";

/** The description of the interface, for programs and for people. It contains public information only. */
export const extension = defineExtension({
  name: "reference",
  summary: "the OpenAPI document at /openapi.json, its page at /reference, and that of the tables at /rest/v1/",
  docs: new URL("../README.md", import.meta.url),
  routes: PATHS.map((path) => ({ method: "GET", path, access: "public", limit: null, handler: sendFile })),
  describeSchema,
});

async function sendFile(
  { path, headers: given }: ExtensionRequest,
  context: ExtensionContext,
): Promise<ExtensionResponse> {
  const file = await findReferenceFile(context.describe(), path);
  if (file === null) throw new AppError("NOT_FOUND", "There is nothing at this path");
  const headers = { ...file.headers, etag: file.etag, "cache-control": CACHE_CONTROL, vary: "Accept-Encoding" };
  if (matchesTag(given["if-none-match"], file.etag)) return { status: 304, headers };
  const typed = { ...headers, "content-type": file.type };
  if (!/\bgzip\b/.test(given["accept-encoding"] ?? "")) return { headers: typed, body: file.body };
  return { headers: { ...typed, "content-encoding": "gzip" }, body: file.gzipped };
}

function matchesTag(given: string | undefined, etag: string): boolean {
  return (given ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
