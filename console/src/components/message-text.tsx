import { JsonView } from "./json-view.tsx";
import { keepLineBreaks } from "./keep-line-breaks.ts";
import { Markdown } from "./markdown.tsx";

export interface MessageTextProps {
  readonly content: string;
  /** The value of a structured reply, or null. */
  readonly data?: unknown;
  /** Models write Markdown, in which a single line break is a space; people mean their line breaks. */
  readonly isFromAgent?: boolean;
}

/** The content of a message, as every page shows it. */
export function MessageText({ content, data = null, isFromAgent = false }: MessageTextProps) {
  if (data !== null) return <JsonView label="Structured reply" value={data} />;
  return <Markdown text={isFromAgent ? content : keepLineBreaks(content)} />;
}
