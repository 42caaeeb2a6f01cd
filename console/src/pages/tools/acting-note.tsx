import { type Askers, findAskers } from "../../data/acting-tools.ts";
import { useToolUsers } from "../../data/agent-tools.ts";
import { useUser } from "../../data/session.ts";
import type { Tool } from "../../data/tools.ts";
import type { ToolForm } from "./tool-draft.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Link } from "../../components/link.tsx";

const STATES: Readonly<Record<Askers, { readonly tone: Tone; readonly word: string }>> = {
  everybody: { tone: "good", word: "Works for everybody who may ask" },
  user: { tone: "neutral", word: "Works only for you" },
  nobody: { tone: "bad", word: "Works for nobody" },
};

interface ActingNoteProps {
  readonly kind: ToolForm["kind"] | Tool["kind"];
  readonly tool?: Tool | undefined;
}

/** What it means that a tool acts for the person who asks, and for whom it works now. Without a tool: for a new one. */
export function ActingNote({ kind, tool }: ActingNoteProps) {
  const isSchedule = kind === "schedule";
  return (
    <section
      aria-label="Acts for the person who asks"
      className="grid gap-3 rounded-md border border-line bg-sunken p-3.5 text-sm"
    >
      <p className="text-pretty text-ink-soft">
        {isSchedule
          ? "A schedule belongs to the person who asks, and sends its messages to their conversation. They approve each call, unless the agent is their own."
          : "The tool acts for the person who asks, who also decides on calls that need an approval. It works for others than you only where the app's service role made the tool and its assignment, and vouches for the agent."}
      </p>
      {isSchedule ? null : tool === undefined ? (
        <p className="text-pretty">A tool that you create here works only for you, in your own agents.</p>
      ) : (
        <ActingState tool={tool} />
      )}
    </section>
  );
}

function ActingState({ tool }: { readonly tool: Tool }) {
  const { id: userId } = useUser();
  const { rows: users = [] } = useToolUsers(tool.id);
  const isMine = tool.owner_id === userId;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tool.is_vouched ? "good" : "neutral"}>
          {tool.is_vouched ? "Vouched for by the app" : "Not vouched for by the app"}
        </Badge>
        {tool.is_vouched && isMine && <span className="text-ink-faint">If you change the tool here, this ends.</span>}
      </p>
      {users.length > 0 && (
        <ul className="grid gap-2">
          {users.map((user) => {
            const askers = user.agents === null ? null : findAskers(tool, user, user.agents, userId);
            if (user.agents === null || askers === null) return null;
            return (
              <li key={user.id} className="flex min-w-0 flex-wrap items-center gap-2">
                <Link to={`/agents/${user.agents.id}/tools`} className="min-w-0 truncate">
                  {user.agents.name}
                </Link>
                <Badge tone={STATES[askers].tone}>{STATES[askers].word}</Badge>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
