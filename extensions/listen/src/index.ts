// In charge of: the command `swarmbase listen`, which follows an event feed and forwards its events during development.
// Not in charge of: which events a feed has, and their order, which the service decides.
import { defineExtension } from "swarmbase/extension";

export const extension = defineExtension({
  name: "listen",
  summary: "the command listen, for webhook receivers during development",
  docs: new URL("../README.md", import.meta.url),
  commands: [
    {
      name: "listen",
      summary: "show events as they occur, and forward them to a program on this machine as signed deliveries",
      help: `
Usage: swarmbase listen [--forward <url>] [--events <type,type>] [--filter <json>] [--user <e-mail or id>]
                        [--feed <name>] [--app-events] [--bodies]

Creates an event feed for as long as the command runs, and shows its events. The service must run on this machine, with the
same data directory.

--forward     sends each event as a webhook would: the same bytes, signed, for example to http://localhost:3000/hook. It is
              sent again until the program answers, and up to twice more after an error; later events wait.
--events      event types, separated by commas; default: all.
--filter      conditions on the event, as in the column filter of webhooks: '{"data": {"total": {"$gte": 100}}}'
--user        the user whose events are shown; not needed while there is only one account.
--feed        the name of a feed that is kept at the end, and created if there is none: the next run continues where this
              one ended. Without --events and --filter, those of an existing feed apply.
--app-events  with the events of the app that name neither a user nor a swarm.
--bodies      also shows the bodies. Without --forward they are always shown.

The secret that is printed at the start is the same in every run for this user.`,
      run: async (context) => (await import("./run-listen.ts")).runListen(context),
    },
  ],
});
