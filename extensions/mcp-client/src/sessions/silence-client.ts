import type { Client, Tool } from "@modelcontextprotocol/client";

/** A private method: the package has no option that turns its warnings off. */
interface Excluding {
  _excludeInvalidXMcpHeaderTools(result: { tools: Tool[] }): void;
}

interface Validating {
  _compileOutputValidator(tool: Tool): undefined;
}

/**
 * Prevents the package from writing to the console. It bypasses the log and prints tool names as the server sends them, so a
 * server could forge log lines.
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

/** Covers the synchronous part of `work` only. */
function withoutConsole<T>(work: () => T): T {
  const { warn, debug } = console;
  Object.assign(console, SILENT);
  try {
    return work();
  } finally {
    Object.assign(console, { warn, debug });
  }
}

/**
 * Skips output schemas: they come from the server, their patterns can take unbounded time, and the package rejects a question of a
 * tool that has one, because a question has no output.
 */
export function skipOutputSchemas(client: Client): void {
  (client as unknown as Validating)._compileOutputValidator = () => undefined;
}
