import { clsx } from "clsx";
import { useState } from "react";
import { Button } from "./button.tsx";
import { JsonView } from "./json-view.tsx";
import { keepLineBreaks } from "./keep-line-breaks.ts";
import { Markdown } from "./markdown.tsx";

interface MessageTextProps {
  readonly content: string;
  /** The value of a structured reply, or null. */
  readonly data?: unknown;
  /** Models write Markdown, in which a single line break is a space; people mean their line breaks. */
  readonly isFromAgent?: boolean;
  /** Shows the beginning alone, if the text is long. */
  readonly isFolded?: boolean;
}

const LONG_CHARS = 2_000;
const LONG_LINES = 30;

/** The content of a message, as every page shows it. */
export function MessageText({ content, data = null, isFromAgent = false, isFolded = false }: MessageTextProps) {
  const [isOpen, setOpen] = useState(!isFolded);
  if (data !== null) return <JsonView label="Structured reply" value={data} />;
  const text = <Markdown text={isFromAgent ? content : keepLineBreaks(content)} />;
  if (!isFolded || (content.length < LONG_CHARS && content.split("\n").length < LONG_LINES)) return text;
  return (
    <div className="grid min-w-0 justify-items-start gap-1">
      <div className={clsx("w-full min-w-0", !isOpen && "max-h-72 overflow-hidden mask-b-from-70%")}>{text}</div>
      <Button variant="quiet" size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Show less" : "Show the whole message"}
      </Button>
    </div>
  );
}
