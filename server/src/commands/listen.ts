import { readFile } from "node:fs/promises";
import { EVENT_TYPES, type EventType, isEventType } from "@swarmbase/sdk";
import { findCredentials } from "../auth/index.ts";
import { loadSettings, parseOptions, UsageError } from "../config/index.ts";
import { loadTlsMaterial } from "../http/index.ts";
import { createAddressPolicy, openGuardedFetch } from "../outbound/index.ts";
import type { Command, CommandContext } from "./command.ts";
import { createForwarder } from "./listen/forwarder.ts";
import { type ListenOptions, listen } from "./listen/listen.ts";
import { createServiceClient } from "./listen/service-client.ts";
import { neverStartedError } from "./database-access.ts";

const OPTIONS = {
  forward: { type: "string" },
  events: { type: "string" },
  user: { type: "string" },
  bodies: { type: "boolean" },
} as const;

export const listenCommand: Command = {
  name: "listen",
  summary: "show webhook deliveries, and forward them to a program on this machine",
  help: `
Usage: swarmbase listen [--forward <url>] [--events <type,type>] [--user <e-mail or id>] [--bodies]

Creates a webhook for as long as the command runs, and shows its deliveries: signed, retried and recorded like any other.
The service must run on this machine, with the same data directory.

--forward  forwards each delivery with its headers and body, for example to http://localhost:3000/hook. The response is
           returned to the service, so that an error causes a retry.
--events   event types, separated by commas; default: all.
--user     the user whose events are shown; not needed while there is only one account.
--bodies   also shows the bodies. Without --forward they are always shown.

The secret that is printed at the start is valid until the command ends with Ctrl-C.`,
  run: async (context) => {
    const options = parseListenOptions(context.args);
    const settings = loadSettings(context.env);
    const credentials = await findCredentials(settings.dataDir);
    if (credentials === null) throw neverStartedError(settings.dataDir);

    const { ca_cert_file: caFile, url } = credentials;
    const { stdout, clock, signal } = context;
    const tls = await loadTlsMaterial({ dataDir: settings.dataDir, certFile: null, keyFile: null, clock });
    const outbound = openGuardedFetch({
      policy: createAddressPolicy({ allowedCidrs: [] }),
      ca: caFile === null ? [] : [await readFile(caFile, "utf8")],
      connectionsPerOrigin: 32,
      exemptUrls: options.forwardUrl === null ? [url] : [url, options.forwardUrl.href],
    });
    try {
      await listen(options, {
        tls,
        service: createServiceClient({ outbound, url, key: credentials.service_role_key }),
        forward: options.forwardUrl === null ? null : createForwarder(outbound.dispatcher, options.forwardUrl),
        stdout,
        clock,
        signal,
      });
    } finally {
      await outbound.close();
    }
    return 0;
  },
};

function parseListenOptions(args: CommandContext["args"]): ListenOptions {
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
