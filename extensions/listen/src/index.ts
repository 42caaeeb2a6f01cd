// In charge of: the command `swarmbase listen`, which receives webhook deliveries on this machine during development.
// Not in charge of: sending deliveries, which the service does as for any other webhook.
import { defineExtension } from "swarmbase/extension";

export const extension = defineExtension({
  name: "listen",
  summary: "the command listen, for webhook deliveries during development",
  docs: new URL("../README.md", import.meta.url),
  commands: [
    {
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
      run: async (context) => (await import("./run-listen.ts")).runListen(context),
    },
  ],
});
