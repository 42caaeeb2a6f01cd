import { Flag } from "lucide-react";
import { useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { useOpenFlags } from "../../../data/message-writes.ts";
import { MessageText } from "../../../components/message-text.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { ToolLines } from "../../../components/tool-lines.tsx";
import { EditForm } from "./edit-form.tsx";
import { MessageMenu } from "./message-menu.tsx";
import { useMessageActions } from "./message-actions.tsx";
import { Quotation } from "./quotation.tsx";
import { RevisionsDialog } from "./revisions-dialog.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { MessageFrame } from "./message-frame.tsx";

export interface MessageViewProps {
  readonly message: Message;
  readonly isContinued: boolean;
  readonly isHighlighted: boolean;
  onJump(messageId: string): void;
}

/** Labels for replies that are incomplete, by finish reason. */
const INCOMPLETE_LABELS: Readonly<Record<string, string>> = {
  cancelled: "stopped",
  error: "stopped by an error",
  length: "cut at the maximum length",
  worker_lost: "interrupted",
  timeout: "timed out",
};

export function MessageView({ message, isContinued, isHighlighted, onJump }: MessageViewProps) {
  const { userId } = useSwarmContext();
  const { hidden, toolsOf } = useMessageActions();
  const [isEditing, setEditing] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { sender_name: name, sender_deleted: isGone, content, reply_to_id: replyToId, id } = message;
  const isAgent = message.sender_type === "agent";
  const isDeleted = content === null || hidden.has(id);
  return (
    <MessageFrame
      name={name}
      seed={message.sender_id ?? name}
      isAgent={isAgent}
      isYou={message.sender_user_id === userId}
      isContinued={isContinued && !isHighlighted}
      isHighlighted={isHighlighted}
      trailing={
        <>
          {isGone && "deleted · "}
          <RelativeTime at={message.created_at} />
        </>
      }
      above={replyToId !== null && !isDeleted && <Quotation messageId={replyToId} onJump={onJump} />}
      onLongPress={() => setMenuOpen(true)}
      actions={
        !isDeleted &&
        !isEditing && (
          <MessageMenu
            message={message}
            isOpen={isMenuOpen}
            onOpenChange={setMenuOpen}
            onEdit={() => setEditing(true)}
          />
        )
      }
    >
      {isDeleted ? (
        <p className="text-ink-faint italic">This message was deleted.</p>
      ) : isEditing ? (
        <EditForm message={message} onDone={() => setEditing(false)} />
      ) : (
        <>
          {message.turn_id !== null && (
            <ToolLines
              tools={toolsOf(message.turn_id)}
              runPath={`/swarms/${message.swarm_id}/runs/${message.run_id}`}
            />
          )}
          <MessageText
            content={content}
            data={message.data}
            isFromAgent={isAgent}
            // What arrives while somebody reads stays open.
            isFolded={!isHighlighted && Date.parse(message.created_at) < performance.timeOrigin}
          />
          <Notes message={message} />
        </>
      )}
    </MessageFrame>
  );
}

/** Managers see which guardrail flagged the message, while the flag is open. */
function FlagText({ messageId }: { readonly messageId: string }) {
  const { swarm, rights } = useSwarmContext();
  const { rows: flags = [] } = useOpenFlags(swarm.id, rights.canManage);
  const ofGuardrail = flags.find((flag) => flag.message_id === messageId && flag.source === "guardrail");
  return ofGuardrail === undefined ? "flagged" : `flagged by the guardrail ${ofGuardrail.category ?? ""}`;
}

function Notes({ message }: { readonly message: Message }) {
  const [isOpen, setOpen] = useState(false);
  const { finish_reason: reason, edited_at: editedAt, flagged } = message;
  const broken = reason === null ? undefined : INCOMPLETE_LABELS[reason];
  if (editedAt === null && broken === undefined && !flagged) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-faint">
      {broken !== undefined && <span className="text-thinking">{broken}</span>}
      {editedAt !== null && (
        <button type="button" onClick={() => setOpen(true)} className="rounded-sm hover:text-ink hover:underline">
          edited
        </button>
      )}
      {flagged && (
        <span className="flex min-w-0 items-center gap-1 text-bad">
          <Flag className="size-3.5 shrink-0" aria-hidden />
          <FlagText messageId={message.id} />
        </span>
      )}
      {isOpen && <RevisionsDialog message={message} onClose={() => setOpen(false)} />}
    </p>
  );
}
