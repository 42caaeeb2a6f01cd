import { Copy, Ellipsis, Flag, History, Link2, Pencil, Reply, Route, Trash2 } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import type { Message } from "../../../data/conversation-pages.ts";
import { useFlagMessage } from "../../../data/message-writes.ts";
import { DropdownMenu, type MenuItem } from "../../../components/dropdown-menu.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { useToast } from "../../../components/toast.tsx";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Field } from "../../../components/field.tsx";
import { Select } from "../../../components/select.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { typed } from "../../../components/typed.ts";
import { useMessageActions } from "./message-actions.tsx";
import { RevisionsDialog } from "./revisions-dialog.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { FLAG_LABELS } from "../labels.ts";

const CATEGORIES = (Object.keys(FLAG_LABELS) as Category[]).map((value) => ({ value, label: FLAG_LABELS[value] }));

interface MessageMenuProps {
  readonly message: Message;
  readonly isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  onEdit(): void;
}

/** The actions for a message. Visible on hover and focus; on touch screens a long press opens them. */
export function MessageMenu({ message, isOpen, onOpenChange, onEdit }: MessageMenuProps) {
  const { swarm, rights, userId } = useSwarmContext();
  const { reply, remove } = useMessageActions();
  const [dialog, setDialog] = useState<"flag" | "revisions" | null>(null);
  const show = useToast();
  const navigate = useNavigate();
  const isOwn = message.sender_user_id === userId;
  const copy = (what: string, text: string) =>
    void navigator.clipboard.writeText(text).then(
      () => show({ text: `The ${what} is copied.` }),
      () => show({ text: `The ${what} could not be copied.`, tone: "bad" }),
    );
  const items: readonly MenuItem[] = [
    ...(isOwn && rights.canWrite ? [{ label: "Edit", icon: <Pencil />, onSelect: onEdit }] : []),
    { label: "Copy the text", icon: <Copy />, onSelect: () => copy("text", message.content ?? "") },
    {
      label: "Copy a link",
      icon: <Link2 />,
      onSelect: () => copy("link", `${location.origin}/swarms/${swarm.id}?message=${message.id}`),
    },
    ...(message.run_id === null
      ? []
      : [
          {
            label: "View run",
            icon: <Route />,
            onSelect: () => void navigate(`/runs/${message.run_id}`),
          },
        ]),
    ...(message.edited_at === null
      ? []
      : [{ label: "Earlier versions", icon: <History />, onSelect: () => setDialog("revisions") }]),
    { label: "Flag …", icon: <Flag />, onSelect: () => setDialog("flag") },
  ];
  const ends: readonly MenuItem[] =
    (isOwn && rights.canWrite) || rights.canManage
      ? [{ label: "Delete", icon: <Trash2 />, isDangerous: true, onSelect: () => remove(message) }]
      : [];
  return (
    <div className="pointer-events-auto flex rounded-md border border-line bg-raised opacity-0 shadow-1 group-focus-within/message:opacity-100 group-hover/message:opacity-100 has-data-[state=open]:opacity-100 pointer-coarse:pointer-events-none">
      {rights.canWrite && (
        <IconButton
          size="small"
          label={`Reply to ${message.sender_name}`}
          icon={<Reply />}
          onClick={() => reply(message)}
          className="pointer-coarse:hidden"
        />
      )}
      <DropdownMenu
        isOpen={isOpen}
        onOpenChange={onOpenChange}
        trigger={
          <IconButton size="small" label={`More about the message of ${message.sender_name}`} icon={<Ellipsis />} />
        }
        groups={[
          rights.canWrite ? [{ label: "Reply", icon: <Reply />, onSelect: () => reply(message) }, ...items] : items,
          ...(ends.length > 0 ? [ends] : []),
        ]}
      />
      {dialog === "flag" && <FlagDialog message={message} onClose={() => setDialog(null)} />}
      {dialog === "revisions" && <RevisionsDialog message={message} onClose={() => setDialog(null)} />}
    </div>
  );
}

type Category = keyof typeof FLAG_LABELS;

function FlagDialog({ message, onClose }: { readonly message: Message; onClose(): void }) {
  const [category, setCategory] = useState<Category>("wrong");
  const [reason, setReason] = useState("");
  const flag = useFlagMessage();
  const show = useToast();
  const run = async () => {
    if ((await flag.run({ messageId: message.id, category, reason })) === null) return;
    show({ text: "Flagged. Owner and admins of the swarm can review it." });
    onClose();
  };
  const hasFieldError = Object.keys(flag.errors).length > 0;
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Flag this message"
      description={`${message.sender_name}: ${toPlainLine(message.content ?? "", 120)}`}
      action="Flag"
      isBusy={flag.isBusy}
      isForm
      onAction={() => void run()}
    >
      {flag.failure !== null && !hasFieldError && <Banner tone="bad">{flag.failure.message}</Banner>}
      <Field label="Category" error={flag.errors["category"]}>
        <Select value={category} choices={CATEGORIES} onChange={(value) => setCategory(value)} />
      </Field>
      <Field label="Reason" isOptional error={flag.errors["reason"]}>
        <TextArea {...typed(reason, setReason)} />
      </Field>
    </ActionDialog>
  );
}
