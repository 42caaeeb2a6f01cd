import { readFile } from "node:fs/promises";
import { EVENT_TYPES, type EventType, isEventType } from "@swarmbase/sdk";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { createForwarder } from "./forwarder.ts";
import { type ListenOptions, listen } from "./listen.ts";
import { createServiceClient } from "./service-client.ts";

const OPTIONS = {
  forward: { type: "string" },
  events: { type: "string" },
  user: { type: "string" },
  bodies: { type: "boolean" },
} as const;

/** Resolves with the exit code when the signal aborts. */
export async function runListen(context: ExtensionCommandContext): Promise<number> {
  const options = parseListenOptions(context.args);
  const credentials = await context.findCredentials();
  if (credentials === null) throw new Error(neverStarted(context.serviceSettings.dataDir));
  const { ca_cert_file: caFile, url, service_role_key: key } = credentials;
  const ca = caFile === null ? [] : [await readFile(caFile, "utf8")];
  const service = context.openFetch({ url, ca });
  const { forwardUrl } = options;
  const program = forwardUrl === null ? null : context.openFetch({ url: forwardUrl.href, ca });
  try {
    await listen(options, {
      certificate: await context.loadLocalCertificate(),
      service: createServiceClient({ service, url, key }),
      forward: program === null || forwardUrl === null ? null : createForwarder(program.dispatcher, forwardUrl),
      stdout: context.stdout,
      now: () => context.now(),
      signal: context.signal,
    });
  } finally {
    await Promise.all([service.close(), program?.close()]);
  }
  return 0;
}

function neverStarted(dataDir: string): string {
  return `The service has not been started with the data directory ${dataDir} yet. Start it once, for example with: npm start`;
}

function parseListenOptions(args: ExtensionCommandContext["args"]): ListenOptions {
  const { forward, events, user = null, bodies = false } = parseOptions(args, OPTIONS).values;
  return {
    forwardUrl: forward === undefined ? null : parseForwardUrl(forward),
    events: events === undefined ? EVENT_TYPES : parseEvents(events),
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

function parseEvents(text: string): EventType[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !isEventType(name));
  if (unknown.length > 0) {
    throw new UsageError(`Unknown event "${unknown.join('", "')}". The events are: ${EVENT_TYPES.join(", ")}`);
  }
  return names.filter(isEventType);
}
