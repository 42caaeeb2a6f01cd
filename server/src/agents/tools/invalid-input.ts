import { ToolFailure } from "../../errors/index.ts";

export function invalidInput(message: string): ToolFailure {
  return new ToolFailure("INVALID_TOOL_INPUT", message);
}
