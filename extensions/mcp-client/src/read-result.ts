import type { CallToolResult } from "@modelcontextprotocol/client";
import { type ModelImage, type ToolAnswer, ToolFailure } from "swarmbase/extension";
import { readImage } from "./read-image.ts";

const MAX_IMAGES = 8;

const MAX_IMAGE_CHARS = 6_000_000;

const MAX_LABEL_CHARS = 500;

/** Throws the error that a tool reports. */
export function readResult(result: CallToolResult, attempts: number): ToolAnswer {
  const { text, images } = renderContent(result);
  if (result.isError === true)
    throw new ToolFailure("TOOL_REMOTE_ERROR", "The tool reported an error.", { attempts, text });
  return { text, isCut: false, attempts, ...(images.length > 0 && { images }) };
}

type Block = CallToolResult["content"][number];

interface RenderedContent {
  /** Names the images, and what cannot be shown. */
  readonly text: string;
  readonly images: readonly ModelImage[];
}

/** What the model gets of a result: its text, with a label in the place of other content, and its images. */
function renderContent({
  content,
  structuredContent,
}: Pick<CallToolResult, "content" | "structuredContent">): RenderedContent {
  const images: ModelImage[] = [];
  let charsLeft = MAX_IMAGE_CHARS;
  /** Returns the label of the image. */
  const addImage = (data: string, declaredType: string): string => {
    const image = images.length < MAX_IMAGES && data.length <= charsLeft ? readImage(data) : null;
    if (image === null) return label("image", declaredType, `${sizeOf(data)}, not shown`);
    images.push(image);
    charsLeft -= data.length;
    return label("image", String(images.length), image.mediaType, sizeOf(data));
  };
  const text = content.map((block) => renderBlock(block, addImage)).join("\n");
  if (text !== "" || structuredContent === undefined) return { text: text === "" ? "[empty answer]" : text, images };
  return { text: JSON.stringify(structuredContent), images };
}

function renderBlock(block: Block, addImage: (data: string, declaredType: string) => string): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
      return addImage(block.data, block.mimeType);
    case "audio":
      return label("audio", block.mimeType, `${sizeOf(block.data)}, not shown`);
    case "resource": {
      const { uri, mimeType = "unknown type" } = block.resource;
      if ("text" in block.resource) return `${label("resource", uri)}\n${block.resource.text}`;
      const { blob } = block.resource;
      if (/^image\//i.test(mimeType)) return `${label("resource", uri)} ${addImage(blob, mimeType)}`;
      return label("resource", uri, mimeType, `${sizeOf(blob)}, not shown`);
    }
    case "resource_link":
      return label("link", block.title ?? block.name, block.mimeType, block.uri, block.description);
  }
}

/** One line: the parts come from the server. */
function label(kind: string, ...parts: readonly (string | undefined)[]): string {
  const text = parts.filter((part) => part !== undefined && part !== "").join(", ");
  return `[${kind} ${text.replaceAll(/\s+/g, " ").slice(0, MAX_LABEL_CHARS)}]`;
}

function sizeOf(base64: string): string {
  return `${Buffer.byteLength(base64, "base64")} bytes`;
}
