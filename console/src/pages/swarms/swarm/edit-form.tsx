import { useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { useEditMessage } from "../../../data/message-writes.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";
import { useMessageActions } from "./message-actions.tsx";

/** Replaces the message while it is edited. The change is shown at once; earlier versions stay available. */
export function EditForm({ message, onDone }: { readonly message: Message; onDone(): void }) {
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
      <Field label="Edit the message">
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
