import type { Client, Tool } from "@modelcontextprotocol/client";

/** The package has no other place at which its warnings could be turned off. */
interface Excluding {
  _excludeInvalidXMcpHeaderTools(result: { tools: Tool[] }): void;
}

/**
 * Keeps the package from printing. It writes to the console, past the log, and with the names of tools as the server sends them: a
 * server could forge any number of lines.
 */
export function silenceClient(client: Client, onExcluded: (count: number) => void): void {
  const listTools = client.listTools.bind(client);
  client.listTools = (...given) => withoutConsole(() => listTools(...given));
  const excluding = client as unknown as Excluding;
  const exclude = excluding._excludeInvalidXMcpHeaderTools.bind(client);
  excluding._excludeInvalidXMcpHeaderTools = (result) => {
    const before = result.tools.length;
    withoutConsole(() => exclude(result));
    const count = before - result.tools.length;
    if (count > 0) onExcluded(count);
  };
}

const SILENT = { warn: () => {}, debug: () => {} };

/** Of what `work` does before it first waits. */
function withoutConsole<T>(work: () => T): T {
  const { warn, debug } = console;
  Object.assign(console, SILENT);
  try {
    return work();
  } finally {
    Object.assign(console, { warn, debug });
  }
}
