import { useRecentConversations } from "../../data/recent-conversations.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";
import { Panel } from "./panel.tsx";

const PREVIEW = 160;

/** The swarms with the newest messages; renders nothing if there are none. */
export function RecentConversations() {
  const { rows } = useRecentConversations();
  if (rows === undefined) return <Skeleton className="h-40 rounded-lg" />;
  if (rows.length === 0) return null;
  return (
    <Panel title="Recent conversations" id="recent" more={{ to: "/swarms", label: "All swarms" }}>
      <ul>
        {rows.map(({ swarmId, name, sender, content, at }) => (
          <li
            key={swarmId}
            className="relative flex items-center gap-4 border-b border-line px-5 py-3 last:border-b-0 hover:bg-hover"
          >
            <Avatar name={name} seed={swarmId} shape="agent" />
            <div className="grid min-w-0 flex-1">
              <Link to={`/swarms/${swarmId}`} className="truncate text-ink! before:absolute before:inset-0">
                {name}
              </Link>
              <span dir="auto" className="truncate text-sm text-ink-soft">
                {sender === null ? "" : `${sender}: `}
                {toPlainLine(content, PREVIEW)}
              </span>
            </div>
            <span className="relative shrink-0 text-sm text-ink-faint">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
