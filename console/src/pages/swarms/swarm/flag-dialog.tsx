import { useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { useFlagMessage } from "../../../data/message-writes.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Field } from "../../../components/field.tsx";
import { Select } from "../../../components/select.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useToast } from "../../../components/toast.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { typed } from "../../../components/typed.ts";
import { FLAG_LABELS } from "../labels.ts";

type Category = keyof typeof FLAG_LABELS;

const CATEGORIES = (Object.keys(FLAG_LABELS) as Category[]).map((value) => ({ value, label: FLAG_LABELS[value] }));

export function FlagDialog({ message, onClose }: { readonly message: Message; onClose(): void }) {
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
