import { listSubRuns, parentOf, type Trace } from "../../data/traces.ts";
import { formatDuration, formatMoney } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { durationOf } from "../../components/run-labels.ts";
import { StatusBadge } from "../../components/status-dot.tsx";
import { toPlainLine } from "../../components/to-plain-line.ts";

interface TaskTreeProps {
  /** A run with those that it has begun, and those that have begun it. */
  readonly traces: readonly Trace[];
  readonly currentId: string;
}

/** The runs of a task with its sub-tasks, each with what it took and cost. */
export function TaskTree({ traces, currentId }: TaskTreeProps) {
  const roots = traces.filter((trace) => traces.every(({ id }) => id !== parentOf(trace)));
  return (
    <section
      aria-label="Sub-tasks"
      className="mb-5 rounded-lg [&_ul_ul]:ml-2 [&_ul_ul]:border-l [&_ul_ul]:border-line [&_ul_ul]:pl-3 border border-line bg-surface px-4 py-3 shadow-1"
    >
      <h2 className="mb-1 text-lg font-semibold">Sub-tasks</h2>
      <Branch tasks={roots} traces={traces} currentId={currentId} />
    </section>
  );
}

function Branch({ tasks, traces, currentId }: TaskTreeProps & { readonly tasks: readonly Trace[] }) {
  return (
    <ul className="grid gap-1">
      {tasks.map((task) => {
        const [took, cost, name] = [durationOf(task), task.usage?.cost_usd ?? null, nameOf(task)];
        const below = traces.filter(({ id }) => listSubRuns(task).includes(id));
        return (
          <li key={task.id} className="grid gap-1">
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm tabular-nums">
              <span className="min-w-0 flex-1 wrap-anywhere">
                {task.id === currentId ? (
                  <strong aria-current="page">{name}</strong>
                ) : (
                  <Link to={`/runs/${task.id}`}>{name}</Link>
                )}
              </span>
              <StatusBadge status={task.status} />
              {took !== null && formatDuration(took)}
              {cost !== null && <span className="text-ink-faint">{formatMoney(cost)}</span>}
            </p>
            {below.length > 0 && <Branch tasks={below} traces={traces} currentId={currentId} />}
          </li>
        );
      })}
    </ul>
  );
}

function nameOf({ question, turns }: Trace): string {
  return toPlainLine(question?.content ?? "", 120) || turns.map(({ agent_name: name }) => name).join(", ") || "Run";
}
