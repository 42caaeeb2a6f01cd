import { Diff, Eraser, ListChecks, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import type { Choices, Named } from "../../../data/choices.ts";
import { useColumnAgents, useColumnVersions } from "../../../data/column-agents.ts";
import { askColumn, type ColumnQuestion, setColumns, stopAnswers, usePlayground } from "../../../data/playground.ts";
import {
  type Column,
  copyColumn,
  type Exchange,
  isUnderWay,
  MAX_COLUMNS,
  pickValues,
} from "../../../data/playground-state.ts";
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
import { AskCases } from "./ask-cases.tsx";
import { findColumnState, type Loaded } from "./column-state.ts";
import { renderCall } from "./column-values.ts";
import { ColumnView } from "./column-view.tsx";
import { Totals } from "./exchange-view.tsx";
import { useSeed } from "./use-seed.ts";

const LETTERS = "ABCD";
const NONE: readonly Column[] = [];
const NO_EXCHANGES: readonly Exchange[] = [];

/** One question to several agents, versions or settings, side by side. */
export function PlaygroundPage() {
  const columns = usePlayground();
  const [address] = useSearchParams();
  const choices = useAgentChoices([address.get("agent") ?? "", ...(columns ?? NONE).map(({ agentId }) => agentId)]);
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
              Create agent
            </ButtonLink>
          }
        >
          The playground asks agents of yours the same question, and shows their answers, times and costs side by side.
        </EmptyState>
      ) : columns === undefined || columns === null || choices.rows === undefined ? (
        <CardsSkeleton cards={2} />
      ) : (
        <Columns columns={columns} loaded={loaded} choices={choices} />
      )}
    </>
  );
}

/** What the prompt of a run asks. */
function lastQuestion(columns: readonly Column[]): string {
  const messages = columns.flatMap(({ opening }) => opening?.messages ?? []);
  return messages.findLast(({ role, content }) => role === "user" && content !== "")?.content ?? "";
}

function Actions({ columns }: { readonly columns: readonly Column[] }) {
  const last = columns.at(-1);
  const add = () => last !== undefined && setColumns([...columns, copyColumn(last)]);
  return (
    <>
      <Button
        icon={<Eraser />}
        disabled={columns.every(({ exchanges, opening }) => exchanges.length === 0 && opening === null)}
        onClick={() => setColumns(columns.map((column) => ({ ...column, opening: null, exchanges: [] })))}
      >
        New conversation
      </Button>
      <Button icon={<Plus />} disabled={columns.length >= MAX_COLUMNS} onClick={add}>
        Add column
      </Button>
    </>
  );
}

type Asked = Pick<ColumnQuestion, "question" | "kind" | "replacedId">;

interface ColumnsProps {
  readonly columns: readonly Column[];
  readonly loaded: Loaded;
  readonly choices: Choices<Named>;
}

function Columns({ columns, loaded, choices }: ColumnsProps) {
  const toast = useToast();
  const [isComparing, setComparing] = useState(false);
  const ask = (column: Column, questions: readonly Asked[]): boolean => {
    const state = findColumnState(column, loaded);
    if (state.kind !== "ready") return false;
    const { agent, base } = state;
    const common = { call: renderCall(column, base), seen: pickValues(agent) };
    askColumn(
      column.id,
      questions.map((question) => ({ ...question, ...common })),
    );
    return true;
  };
  const stop = (columnId: string | null) => {
    stopAnswers(columnId).catch(() => toast({ text: "An answer could not be stopped.", tone: "bad" }));
  };
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
            compared={isComparing && place > 0 ? (columns[0]?.exchanges ?? []) : NO_EXCHANGES}
            onAskAgain={({ question, kind, id: replacedId }) => ask(column, [{ question, kind, replacedId }])}
            onStop={() => stop(column.id)}
          />
        ))}
      </div>
      <AskAll
        columns={columns}
        isComparing={isComparing}
        onCompare={() => setComparing(!isComparing)}
        onAsk={ask}
        onStop={() => stop(null)}
      />
    </div>
  );
}

interface AskAllProps {
  readonly columns: readonly Column[];
  readonly isComparing: boolean;
  onCompare(): void;
  /** False means that the agent of the column cannot be asked. */
  onAsk(column: Column, questions: readonly Asked[]): boolean;
  onStop(): void;
}

/** The field that asks all columns. */
function AskAll({ columns, isComparing, onCompare, onAsk, onStop }: AskAllProps) {
  const [isRefused, setRefused] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const exchanges = columns.flatMap((column) => column.exchanges);
  const isBusy = exchanges.some(isUnderWay);
  const askAll = async (questions: readonly string[], kind: Exchange["kind"] = "further"): Promise<boolean> => {
    const asked = questions.map((question) => ({ question, kind }));
    const isAsked = columns.filter((column) => onAsk(column, asked)).length > 0;
    setRefused(!isAsked);
    return isAsked;
  };
  useCommands(isBusy ? [{ id: "playground.stop", label: "Stop all answers", group: "This page", run: onStop }] : []);
  return (
    <div className="sticky bottom-[calc(4.5rem+env(safe-area-inset-bottom))] z-10 overflow-hidden rounded-lg border border-line bg-surface shadow-2 lg:bottom-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 p-3">
        <Button size="small" icon={<ListChecks />} disabled={isBusy} onClick={() => setChoosing(true)}>
          Ask cases …
        </Button>
        {columns.length > 1 && exchanges.length > 0 && (
          <Button
            size="small"
            variant={isComparing ? "primary" : "plain"}
            icon={<Diff />}
            aria-pressed={isComparing}
            onClick={onCompare}
          >
            Differences from A
          </Button>
        )}
        <Totals label="All columns" exchanges={exchanges} />
      </div>
      {isChoosing && (
        <AskCases onClose={() => setChoosing(false)} onAsk={(questions) => void askAll(questions, "case")} />
      )}
      {isRefused && (
        <p role="status" className="px-4 pt-3 text-ink-soft">
          No column has an agent that can be asked.
        </p>
      )}
      {columns.some(({ opening, exchanges }) => opening !== null && exchanges.length === 0) && (
        <p className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3 text-ink-soft">
          The columns send the prompt of a run. A question is added to it.
          <Button
            size="small"
            variant="primary"
            disabled={isBusy}
            onClick={() => void askAll([lastQuestion(columns)], "opening")}
          >
            Send it as it was
          </Button>
        </p>
      )}
      <TryComposer
        name="all columns"
        place="playground"
        isBusy={isBusy}
        onSend={(question) => askAll([question])}
        onStop={isBusy ? onStop : undefined}
        stopLabel="Stop all"
      />
    </div>
  );
}
