import { useUser } from "../../../data/session.ts";
import { Markdown } from "../../../components/markdown.tsx";
import { keepLineBreaks } from "../keep-line-breaks.ts";
import { MessageFrame } from "./message-frame.tsx";
import type { PendingMessage } from "./use-pending-messages.ts";

/** A message that is being sent. */
export function PendingView({ pending }: { readonly pending: PendingMessage }) {
  const user = useUser();
  const fullName: unknown = user.user_metadata["full_name"];
  const name = typeof fullName === "string" && fullName !== "" ? fullName : (user.email ?? "You");
  return (
    <MessageFrame name={name} seed={user.id} isAgent={false} isYou trailing="sending …">
      <div className="opacity-70">
        <Markdown text={keepLineBreaks(pending.content)} />
      </div>
    </MessageFrame>
  );
}
