import type { ModelTool } from "../../providers/model-port.ts";
import type { CallableTool, ToolFault, Tools } from "../tool-port.ts";
import { narrowSchema, readAssignment } from "./assignment.ts";
import type { SchemaCompiler } from "../../schemas/schema-compiler.ts";
import { readInput } from "../../schemas/read-input.ts";

/** Omits the arguments that the assignment fixes. */
export function describeTool(tool: CallableTool): ModelTool {
  const { name, description, input_schema: schema } = tool;
  return { name, description, inputSchema: narrowSchema(schema, readAssignment(tool).fixed) };
}

/**
 * Validates the whole input, with the arguments that the assignment fixes, against the schema of the tool. The result is what the
 * model chose: it is stored, and members of the swarm read it, while the fixed arguments are the agent owner's alone.
 */
export function checkToolInput(
  schemas: SchemaCompiler,
  tool: CallableTool,
  inputText: string,
): ReturnType<Tools["checkInput"]> {
  const read = readInput(inputText);
  if (!read.ok) return reject("INVALID_TOOL_INPUT", read.fault);
  const schema = schemas.compile(tool.input_schema);
  if (!schema.ok) return reject("TOOL_UNUSABLE", `The tool's input_schema ${schema.fault}.`);
  const fault = schema.findFault({ ...read.input, ...readAssignment(tool).fixed });
  return fault === null
    ? { ok: true, input: read.input }
    : reject("INVALID_TOOL_INPUT", `The input is not valid: ${fault}.`);
}

function reject(code: string, message: string): { readonly ok: false; readonly fault: ToolFault } {
  return { ok: false, fault: { code, message, retryable: false } };
}
