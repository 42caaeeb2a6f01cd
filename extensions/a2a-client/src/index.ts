// In charge of: remote A2A agents as tools of the kind `a2a`.
// Not in charge of: agents of this service for other systems, which the extension `a2a` serves.
import { defineExtension } from "swarmbase/extension";
import { findConfigFaults } from "./remote-config.ts";

export const extension = defineExtension({
  name: "a2a-client",
  summary: "remote A2A agents as tools",
  docs: new URL("../README.md", import.meta.url),
  toolKinds: [
    {
      name: "a2a",
      findConfigFaults,
      async run(call, { fetch }) {
        // With the first call, so that the package of the protocol costs nothing when it is not used.
        const { callRemoteAgent } = await import("./call-remote-agent.ts");
        return callRemoteAgent(call, fetch);
      },
    },
  ],
});
