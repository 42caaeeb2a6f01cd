import { CornerUpLeft } from "lucide-react";
import { useQuotedMessage } from "../../../data/message-writes.ts";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { useSwarmContext } from "./swarm-context.ts";

/** The message that a reply quotes, as a link to it. */
export function Quotation({ messageId, onJump }: { readonly messageId: string; onJump(messageId: string): void }) {
  const { swarm } = useSwarmContext();
  const quoted = useQuotedMessage(swarm.id, messageId);
  return (
    <button
      type="button"
      onClick={() => onJump(messageId)}
      className="mb-1 ml-4 flex max-w-[calc(100%-5rem)] items-center gap-2 rounded-sm text-left text-sm text-ink-faint hover:text-ink"
    >
      <CornerUpLeft className="size-3.5 shrink-0" aria-hidden />
      <span className="truncate">
        <span className="sr-only">In reply to </span>
        <span className="font-medium">{quoted?.sender_name ?? "…"}:</span>{" "}
        {quoted === undefined
          ? ""
          : quoted === null || quoted.content === null
            ? "deleted"
            : toPlainLine(quoted.content)}
      </span>
    </button>
  );
}
