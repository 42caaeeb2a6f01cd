import { useUser } from "../../../data/session.ts";
import { Markdown } from "../../../components/markdown.tsx";
import { keepLineBreaks } from "../keep-line-breaks.ts";
import { Speaker } from "./speaker.tsx";
import type { PendingMessage } from "./use-pending-messages.ts";

/** Said, and on its way. */
export function PendingView({ pending }: { readonly pending: PendingMessage }) {
  const user = useUser();
  const fullName: unknown = user.user_metadata["full_name"];
  const name = typeof fullName === "string" && fullName !== "" ? fullName : (user.email ?? "You");
  return (
    <Speaker name={name} seed={user.id} isAgent={false} isYou aside="sending …">
      <div className="opacity-70">
        <Markdown text={keepLineBreaks(pending.content)} />
      </div>
    </Speaker>
  );
}
