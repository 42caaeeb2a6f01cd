import { useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import { useEditMessage } from "../../../data/message-writes.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useToast } from "../../../components/toast.tsx";
import { useMessageActions } from "./message-actions.tsx";

/** In place of the message. The new words stand there at once; what was there before stays readable. */
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
      if (saved === null) show({ text: "The change was refused, so the message is as before.", tone: "bad" });
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
          value={text}
          onChange={({ target }) => setText(target.value)}
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
