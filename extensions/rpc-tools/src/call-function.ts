import {
  AppError,
  type ExtensionContext,
  type FunctionEntry,
  type JsonRecord,
  type ToolAnswer,
  type ToolCall,
  ToolFailure,
} from "swarmbase/extension";
import { findFunction, nameOf } from "./find-function.ts";

const READ_ONLY_TRANSACTION = "25006";

/** Calls the function as the person who asks. REST applies that person's rights, limits and scopes. */
export async function callFunction(
  { config, input, starter, signal }: ToolCall,
  context: Pick<ExtensionContext, "catalogue" | "isOfService" | "restAs">,
): Promise<ToolAnswer> {
  const called = findFunction(config, context);
  const fault = called === null ? "does not exist any more" : findArgumentFault(called, input);
  const { schema, name } = nameOf(config);
  if (fault !== null) throw new ToolFailure("TOOL_UNUSABLE", `The function ${schema}.${name} ${fault}.`);
  const isReadOnly = config["writes"] !== true;
  const { principal } = await starter.open();
  signal.throwIfAborted();
  const request = {
    method: "POST",
    path: `/rpc/${encodeURIComponent(name)}`,
    headers: { "content-profile": schema },
    body: input,
    isReadOnly,
    isText: true,
  } as const;
  const { status, body } = await context.restAs(principal, request, signal).catch((error: unknown) => {
    const isWrite = isReadOnly && error instanceof AppError && error.extra.foreign?.code === READ_ONLY_TRANSACTION;
    if (!isWrite) throw error;
    throw new ToolFailure("TOOL_FAILED", `The function writes, and the tool may only read: ${error.message}.`);
  });
  const text = String(body);
  // The function has set the status itself.
  if (status >= 400) throw new ToolFailure("TOOL_FAILED", `The function answered with the status ${status}.`, { text });
  // Rows beyond DB_MAX_ROWS are missing.
  return { text: text === "" ? "null" : text, isCut: status === 206, attempts: 1 };
}

/** The function may have changed since the tool was stored, or the schema of the input is not the function's. */
function findArgumentFault({ parameters }: FunctionEntry, input: JsonRecord): string | null {
  const known = new Set(parameters.map(({ name }) => name));
  const unknown = Object.keys(input).find((name) => !known.has(name));
  if (unknown !== undefined) return `has no argument ${unknown}: the input_schema of the tool does not fit`;
  const missing = parameters.find(({ name, isRequired }) => isRequired && !Object.hasOwn(input, name));
  return missing === undefined ? null : `needs ${missing.name}: the input_schema of the tool does not fit`;
}
