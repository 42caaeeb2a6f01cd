import type { CallToolResult } from "@modelcontextprotocol/client";
import { type ToolAnswer, ToolFailure } from "swarmbase/extension";
import { renderContent } from "./render-content.ts";

/** Throws the error that a tool reports. */
export function readResult(result: CallToolResult, attempts: number): ToolAnswer {
  const { text, images } = renderContent(result);
  if (result.isError === true)
    throw new ToolFailure("TOOL_REMOTE_ERROR", "The tool reported an error.", { attempts, text });
  return { text, isCut: false, attempts, ...(images.length > 0 && { images }) };
}
