import { nameOf } from "../../../data/members.ts";
import { useSwarmContext } from "./swarm-context.ts";

const MAX_NAMES = 3;
const names = new Intl.ListFormat("en", { type: "conjunction" });

/** Says who else is writing a message. Not announced: it changes all the time. */
export function TypingLine() {
  const { presence, members } = useSwarmContext();
  const writing = (members.rows ?? []).filter(({ user_id: id }) => id !== null && presence.typing.has(id));
  if (writing.length === 0) return null;
  const who =
    writing.length > MAX_NAMES ? `${writing.length} people` : names.format(writing.map((member) => nameOf(member)));
  return (
    <p className="truncate px-1 pb-1 text-sm text-ink-soft">
      {who} {writing.length === 1 ? "is" : "are"} typing …
    </p>
  );
}
