import type { CallToolResult } from "@modelcontextprotocol/client";

type Block = CallToolResult["content"][number];

/** The text of a result for the model. Content that is not text is only named. */
export function renderContent({
  content,
  structuredContent,
}: Pick<CallToolResult, "content" | "structuredContent">): string {
  const text = content.map(renderBlock).join("\n");
  if (text !== "" || structuredContent === undefined) return text === "" ? "[empty answer]" : text;
  return JSON.stringify(structuredContent);
}

function renderBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} of type ${block.mimeType}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    case "resource_link":
      return `[link ${block.uri}]`;
  }
}
