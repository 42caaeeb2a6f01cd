import { Eraser, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useColumnAgents, useColumnVersions } from "../../../data/column-agents.ts";
import { askColumn, setColumns, stopAnswers, usePlayground } from "../../../data/playground.ts";
import { type Column, createColumn, isUnderWay, MAX_COLUMNS, pickValues } from "../../../data/playground-state.ts";
import { useAgentChoices } from "../../../data/swarm-agents.ts";
import { Button } from "../../../components/button.tsx";
import { useCommands } from "../../../components/commands.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { FailureState } from "../../../components/failure-state.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { useToast } from "../../../components/toast.tsx";
import { TryComposer } from "../try-composer.tsx";
import { findColumnState, type Loaded } from "./column-state.ts";
import { renderCall } from "./column-values.ts";
import { ColumnView } from "./column-view.tsx";
import { useSeed } from "./use-seed.ts";

const LETTERS = "ABCD";
const NONE: readonly Column[] = [];

/** One question to several agents, versions or settings, side by side. */
export function PlaygroundPage() {
  const columns = usePlayground();
  const choices = useAgentChoices();
  const agents = useColumnAgents(columns ?? NONE);
  const versions = useColumnVersions(columns ?? NONE);
  useSeed(columns, choices.rows);
  const loaded = useMemo<Loaded>(
    () => ({
      agents: agents.rows,
      versions: versions.rows,
      knownIds: new Set(choices.rows?.map(({ id }) => id)),
    }),
    [agents.rows, versions.rows, choices.rows],
  );
  const failed = [choices, agents, versions].find(({ rows, failure }) => rows === undefined && failure !== null);
  return (
    <>
      <PageHeader
        title="Playground"
        description="One question to several agents, versions or settings. The answers are not stored, but they cost and count like any other."
        actions={columns !== undefined && columns !== null && <Actions columns={columns} />}
      />
      {failed !== undefined ? (
        <FailureState
          title="The agents could not be loaded."
          message={failed.failure?.message ?? ""}
          onRetry={failed.reload}
        />
      ) : choices.rows?.length === 0 ? (
        <EmptyState
          picture="agents"
          title="No agents yet"
          action={
            <ButtonLink to="/agents/new" variant="primary">
              Make an agent
            </ButtonLink>
          }
        >
          The playground asks agents of yours the same question, and shows their answers, times and costs side by side.
        </EmptyState>
      ) : columns === undefined || columns === null || choices.rows === undefined ? (
        <CardsSkeleton cards={2} />
      ) : (
        <Columns columns={columns} loaded={loaded} choices={choices.rows} />
      )}
    </>
  );
}

function Actions({ columns }: { readonly columns: readonly Column[] }) {
  const last = columns.at(-1);
  const isFull = columns.length >= MAX_COLUMNS;
  const add = () =>
    last !== undefined &&
    setColumns([...columns, { ...createColumn(last.agentId, last.version), changes: last.changes }]);
  return (
    <>
      <Button
        icon={<Eraser />}
        disabled={columns.every(({ exchanges }) => exchanges.length === 0)}
        onClick={() => setColumns(columns.map((column) => ({ ...column, exchanges: [] })))}
      >
        New conversation
      </Button>
      <Button icon={<Plus />} disabled={isFull} onClick={add}>
        Add a column
      </Button>
    </>
  );
}

interface ColumnsProps {
  readonly columns: readonly Column[];
  readonly loaded: Loaded;
  readonly choices: readonly { readonly id: string; readonly name: string }[];
}

function Columns({ columns, loaded, choices }: ColumnsProps) {
  const toast = useToast();
  const [isRefused, setRefused] = useState(false);
  const isBusy = columns.some(({ exchanges }) => exchanges.some(isUnderWay));
  const ask = (column: Column, question: string, replacedId?: string): boolean => {
    const state = findColumnState(column, loaded);
    if (state.kind !== "ready") return false;
    const { agent, base } = state;
    const asked = { question, call: renderCall(column, base), seen: pickValues(agent) };
    askColumn(column.id, { ...asked, ...(replacedId !== undefined && { replacedId }) });
    return true;
  };
  const askAll = async (question: string): Promise<boolean> => {
    const isAsked = columns.filter((column) => ask(column, question)).length > 0;
    setRefused(!isAsked);
    return isAsked;
  };
  const stop = (columnId: string | null) => {
    stopAnswers(columnId).catch(() => toast({ text: "An answer could not be stopped.", tone: "bad" }));
  };
  useCommands(
    isBusy
      ? [{ id: "playground.stop", label: "Stop all answers", group: "This page", run: () => void stopAnswers(null) }]
      : [],
  );
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      {/* Columns that do not fit are reached by swiping, or with the focus. Relative, so that hidden labels scroll with them. */}
      <div className="relative -mx-4 flex snap-x snap-mandatory gap-4 overflow-x-auto px-4 pb-2 sm:-mx-8 sm:snap-proximity sm:px-8">
        {columns.map((column, place) => (
          <ColumnView
            key={column.id}
            letter={LETTERS[place] ?? ""}
            column={column}
            columns={columns}
            state={findColumnState(column, loaded)}
            choices={choices}
            onAskAgain={(question, replacedId) => ask(column, question, replacedId)}
            onStop={() => stop(column.id)}
          />
        ))}
      </div>
      <div className="sticky bottom-[calc(4.5rem+env(safe-area-inset-bottom))] z-10 overflow-hidden rounded-lg border border-line bg-surface shadow-2 lg:bottom-4">
        {isRefused && (
          <p role="status" className="px-4 pt-3 text-ink-soft">
            No column has an agent that can be asked.
          </p>
        )}
        <TryComposer
          name="all columns"
          isBusy={isBusy}
          onSend={askAll}
          onStop={isBusy ? () => stop(null) : undefined}
          stopLabel="Stop all"
        />
      </div>
    </div>
  );
}
