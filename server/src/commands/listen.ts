import { readFile } from "node:fs/promises";
import { EVENT_TYPES, type EventType, isEventType } from "@swarmbase/sdk";
import { findCredentials } from "../auth/index.ts";
import { loadSettings } from "../config/index.ts";
import { loadTlsMaterial } from "../http/index.ts";
import { createAddressPolicy, openGuardedFetch } from "../outbound/index.ts";
import { type Command, type CommandContext, UsageError } from "./command.ts";
import { createForwarder } from "./listen/forwarder.ts";
import { type ListenOrder, listen } from "./listen/listen.ts";
import { createServiceClient } from "./listen/service-client.ts";
import { neverStartedError } from "./never-started-error.ts";
import { parseOptions } from "./parse-options.ts";

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
    const order = parseOrder(context.args);
    const settings = loadSettings(context.env);
    const credentials = await findCredentials(settings.dataDir);
    if (credentials === null) throw neverStartedError(settings.dataDir);

    const { ca_cert_file: caFile, url } = credentials;
    const tls = await loadTlsMaterial({
      dataDir: settings.dataDir,
      certFile: null,
      keyFile: null,
      clock: context.clock,
    });
    const way = openGuardedFetch({
      policy: createAddressPolicy({ allowedCidrs: [] }),
      ca: caFile === null ? [] : [await readFile(caFile, "utf8")],
      connectionsPerOrigin: 32,
      exemptUrls: order.forwardUrl === null ? [url] : [url, order.forwardUrl.href],
    });
    try {
      await listen(order, {
        tls,
        service: createServiceClient({ way, url, key: credentials.service_role_key }),
        forward: order.forwardUrl === null ? null : createForwarder(way.dispatcher, order.forwardUrl),
        stdout: context.stdout,
        clock: context.clock,
        signal: context.signal,
      });
    } finally {
      await way.close();
    }
    return 0;
  },
};

function parseOrder(args: CommandContext["args"]): ListenOrder {
  const { values } = parseOptions(args, OPTIONS);
  const { forward, events, user, bodies } = values;
  return {
    forwardUrl: typeof forward === "string" ? parseForwardUrl(forward) : null,
    events: typeof events === "string" ? parseEvents(events) : EVENT_TYPES,
    user: typeof user === "string" ? user : null,
    showsBodies: bodies === true || forward === undefined,
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
