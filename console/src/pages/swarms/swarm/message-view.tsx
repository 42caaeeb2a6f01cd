import { CornerUpLeft, Flag } from "lucide-react";
import { useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { useEditMessage, useOpenFlags, useQuotedMessage } from "../../../data/message-writes.ts";
import { MessageText } from "../../../components/message-text.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { ToolLines } from "../../../components/tool-lines.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";
import { MessageMenu } from "./message-menu.tsx";
import { useMessageActions } from "./message-actions.tsx";
import { RevisionsDialog } from "./revisions-dialog.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { MessageFrame } from "./message-frame.tsx";

interface MessageViewProps {
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
            <ToolLines tools={toolsOf(message.turn_id)} runPath={`/runs/${message.run_id}`} />
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

/** The message that a reply quotes, as a link to it. */
function Quotation({ messageId, onJump }: { readonly messageId: string; onJump(messageId: string): void }) {
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

/** Replaces the message while it is edited. The change is shown at once; earlier versions stay available. */
function EditForm({ message, onDone }: { readonly message: Message; onDone(): void }) {
  const [text, setText] = useState(message.content ?? "");
  const { receive } = useMessageActions();
  const edit = useEditMessage();
  const show = useToast();
  const save = () => {
    const content = text.trim();
    if (content === "" || edit.isBusy) return;
    onDone();
    if (content === message.content) return;
    receive({ ...message, content, edited_at: new Date().toISOString() });
    void edit.run({ id: message.id, content }).then((saved) => {
      receive(saved ?? message);
      if (saved === null) show({ text: "The message could not be changed.", tone: "bad" });
    });
  };
  return (
    <form
      className="grid grid-cols-1 gap-2 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Field label="Edit message">
        <TextArea
          autoFocus
          {...typed(text, setText)}
          onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
          onKeyDown={(event) => {
            if (event.key === "Escape") onDone();
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            save();
          }}
        />
      </Field>
      <div className="flex gap-2">
        <Button type="submit" size="small" variant="primary" disabled={text.trim() === ""}>
          Save
        </Button>
        <Button size="small" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
