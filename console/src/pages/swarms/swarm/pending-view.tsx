import { useUser } from "../../../data/session.ts";
import { MessageText } from "../../../components/message-text.tsx";
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
        <MessageText content={pending.content} />
      </div>
    </MessageFrame>
  );
}
