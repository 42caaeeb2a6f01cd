import { Activity } from "lucide-react";
import type { RecentRun } from "../../data/recent-runs.ts";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";
import { Panel } from "./panel.tsx";

export interface UnderWayProps {
  readonly runs: readonly RecentRun[];
  /** The runs with a tool call that waits for the user. */
  readonly needsUser: ReadonlySet<string>;
}

const MAX_LISTED = 6;

/** The runs that agents work on now. */
export function UnderWay({ runs, needsUser }: UnderWayProps) {
  return (
    <Panel title="Happening now" id="under-way" more={{ to: "/events", label: "Live events" }}>
      {runs.length === 0 ? (
        <p className="flex items-center gap-2.5 px-5 py-4 text-ink-soft">
          <Activity className="size-4.5 shrink-0 text-ink-faint" aria-hidden />
          No agent is working. A question in any of your swarms starts a run, which appears here while it lasts.
        </p>
      ) : (
        <ul>
          {runs.slice(0, MAX_LISTED).map(({ id, swarm_id: swarmId, status, swarms, question, created_at: at }) => (
            <li
              key={id}
              className="relative flex items-center gap-3 border-b border-line px-5 py-3 last:border-b-0 hover:bg-hover"
            >
              <div className="grid min-w-0 flex-1">
                <Link
                  to={`/swarms/${swarmId}/runs/${id}`}
                  className="truncate text-ink! before:absolute before:inset-0"
                >
                  {swarms.name}
                </Link>
                <span dir="auto" className="truncate text-sm text-ink-soft">
                  {toPlainLine(question?.content ?? "")}
                </span>
              </div>
              {status === "requires_action" && !needsUser.has(id) ? (
                <StatusBadge status="queued" word="Waiting" />
              ) : (
                <StatusBadge status={status} />
              )}
              <span className="relative shrink-0 text-sm text-ink-faint max-sm:hidden">
                <RelativeTime at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
