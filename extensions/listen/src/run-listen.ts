import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { type ListenOptions, listen } from "./listen.ts";
import { ServiceClient } from "./service-client.ts";

const OPTIONS = {
  forward: { type: "string" },
  events: { type: "string" },
  filter: { type: "string" },
  user: { type: "string" },
  feed: { type: "string" },
  "app-events": { type: "boolean" },
  bodies: { type: "boolean" },
} as const;

/** Resolves with the exit code when the signal aborts. */
export async function runListen(context: ExtensionCommandContext): Promise<number> {
  const { forwardUrl, ...options } = parseListenOptions(context.args);
  const credentials = await context.findCredentials();
  if (credentials === null) throw new Error(neverStarted(context.serviceSettings.dataDir));
  const { ca_cert_file: caFile, url, service_role_key: key } = credentials;
  const ca = caFile === null ? [] : [await readFile(caFile, "utf8")];
  const { signDelivery, stdout, signal } = context;
  const service = context.openFetch({ url, ca });
  const program = forwardUrl === null ? null : { url: forwardUrl, ...context.openFetch({ url: forwardUrl.href, ca }) };
  try {
    await listen(options, {
      service: new ServiceClient({ service, url, key }),
      forward: program === null ? null : { ...program, signDelivery },
      makeSecret: ({ id }) => `whsec_${createHmac("sha256", key).update(`swarmbase listen ${id}`).digest("base64")}`,
      stdout,
      now: () => context.now(),
      signal,
    });
  } finally {
    await Promise.all([service.close(), program?.close()]);
  }
  return 0;
}

function neverStarted(dataDir: string): string {
  return `The service has not been started with the data directory ${dataDir} yet. Start it once, for example with: npm start`;
}

function parseListenOptions(
  args: ExtensionCommandContext["args"],
): ListenOptions & { readonly forwardUrl: URL | null } {
  const { values } = parseOptions(args, OPTIONS);
  const { forward, events, filter, user = null, feed = null, bodies = false } = values;
  return {
    forwardUrl: forward === undefined ? null : parseForwardUrl(forward),
    feedName: feed?.trim() ?? null,
    events: events?.split(",").map((name) => name.trim()) ?? null,
    filter: filter === undefined ? null : parseFilter(filter),
    receivesAppEvents: values["app-events"] ?? false,
    user,
    showsBodies: bodies || forward === undefined,
  };
}

function parseForwardUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--forward must be a URL such as http://localhost:3000/hook, not "${text}".`);
  }
  return url;
}

function parseFilter(text: string): object {
  try {
    const filter: unknown = JSON.parse(text);
    if (typeof filter === "object" && filter !== null) return filter;
  } catch {
    // Reported below.
  }
  throw new UsageError(`--filter must be a JSON object, not "${text}".`);
}
