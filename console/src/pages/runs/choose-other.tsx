import { useNavigate } from "react-router";
import { type Trace, useAllRuns } from "../../data/traces.ts";
import { Dialog } from "../../components/dialog.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";

const NO_RANGE = { since: null, until: null };

/** Chooses the run of the same swarm to compare with. */
export function ChooseOther({ trace, onClose }: { readonly trace: Trace; onClose(): void }) {
  const navigate = useNavigate();
  const filter = { equal: { swarm_id: trace.swarm_id }, range: NO_RANGE, search: "" };
  const { rows } = useAllRuns(filter, "newest");
  const others = rows?.filter(({ id }) => id !== trace.id);
  return (
    <Dialog isOpen onClose={onClose} title="Compare with" description="The newest runs of the same swarm.">
      {others === undefined && <ListSkeleton rows={4} />}
      {others?.length === 0 && (
        <p className="text-ink-soft">There is no other run in this swarm. “Run again” creates one to compare with.</p>
      )}
      <ul className="grid">
        {others?.map(({ id, question, status, created_at: at }) => (
          <li key={id} className="border-b border-line last:border-b-0">
            <button
              type="button"
              onClick={() => void navigate(`/runs/compare?a=${id}&b=${trace.id}`)}
              className="flex w-full flex-wrap items-center justify-between gap-x-4 gap-y-1 rounded-sm px-1 py-2.5 text-left hover:bg-hover"
            >
              <span className="min-w-0 flex-1 truncate">{toPlainLine(question?.content ?? "Deleted")}</span>
              <span className="flex items-center gap-3 text-sm text-ink-faint">
                <RelativeTime at={at} />
                <StatusBadge status={status} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
