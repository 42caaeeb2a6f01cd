import { Plug, Plus, Wrench } from "lucide-react";
import { memo, useMemo } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useUser } from "../../data/session.ts";
import { TOOL_ORIGINS, type Tool, type ToolOrigin, useTools } from "../../data/tools.ts";
import { AT_ONCE } from "../../parts/at-once.ts";
import { Button } from "../../parts/button.tsx";
import { CardGrid } from "../../parts/card-grid.tsx";
import { CardLink } from "../../parts/card.tsx";
import { type Command, useCommands } from "../../parts/commands.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FailureState } from "../../parts/failure-state.tsx";
import { ButtonLink } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Pager } from "../../parts/pager.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Select } from "../../parts/select.tsx";
import { CardsSkeleton } from "../../parts/skeleton.tsx";
import { ToolIcon } from "../../parts/tool-icon.tsx";
import { Toolbar } from "../../parts/toolbar.tsx";
import { useSettled } from "../../parts/use-settled.ts";
import { ToolBadges } from "./tool-badges.tsx";

const CARD_HEIGHT = 174;
const MOST_COMMANDS = 20;
/** So few need no counting. */
const FEW = 9;
const ORIGIN_WORDS: Readonly<Record<ToolOrigin, string>> = {
  all: "All tools",
  builtin: "Built in",
  mine: "Mine",
  shared: "Shared with me",
};

export function ToolList() {
  const [address, setAddress] = useSearchParams();
  const user = useUser();
  const search = address.get("q") ?? "";
  const origin = TOOL_ORIGINS.find((known) => known === address.get("from")) ?? "all";
  const tools = useTools({ origin, search: useSettled(search), userId: user.id });
  useToolCommands(tools.rows);
  const set = (name: string, value: string) =>
    setAddress((old) => {
      if (value === "") old.delete(name);
      else old.set(name, value);
      return old;
    }, AT_ONCE);
  return (
    <>
      <PageHeader
        title="Tools"
        description="What agents may do while they answer. Give a tool to an agent on the agent's page."
        actions={
          <>
            <ButtonLink to="/tools/import" icon={<Plug />}>
              Import from MCP
            </ButtonLink>
            <ButtonLink to="/tools/new" variant="primary" icon={<Plus />}>
              New tool
            </ButtonLink>
          </>
        }
      />
      <Toolbar label="Which tools are shown">
        <div className="flex w-full sm:w-72">
          <SearchInput label="Search the catalogue" value={search} onChange={(text) => set("q", text)} />
        </div>
        <Select
          aria-label="Where they come from"
          className="w-44 flex-1 sm:flex-none"
          value={origin}
          choices={TOOL_ORIGINS.map((value) => ({ value, label: ORIGIN_WORDS[value] }))}
          onChange={(value) => set("from", value === "all" ? "" : value)}
        />
      </Toolbar>
      <Catalogue tools={tools} origin={search.trim() === "" ? origin : "all"} onAll={() => setAddress({}, AT_ONCE)} />
    </>
  );
}

interface CatalogueProps {
  readonly tools: ReturnType<typeof useTools>;
  readonly origin: ToolOrigin;
  onAll(): void;
}

function Catalogue({ tools, origin, onAll }: CatalogueProps) {
  const { rows, failure, reload, hasMore, isLoadingMore, loadMore } = tools;
  const user = useUser();
  if (rows === undefined)
    return failure === null ? (
      <CardsSkeleton />
    ) : (
      <FailureState title="The tools could not be loaded." message={failure.message} onRetry={reload} />
    );
  if (rows.length === 0) return <Nothing origin={origin} onAll={onAll} />;
  return (
    <CardGrid
      label="Tools"
      rows={rows}
      keyOf={({ id }) => id}
      cardHeight={CARD_HEIGHT}
      renderCard={(tool) => <ToolCard tool={tool} userId={user.id} />}
      onEndReached={loadMore}
      foot={
        rows.length > FEW && (
          <Pager shown={rows.length} hasMore={hasMore} isBusy={isLoadingMore} onMore={loadMore} noun="tools" />
        )
      }
    />
  );
}

const ToolCard = memo(function ToolCard({ tool, userId }: { readonly tool: Tool; readonly userId: string }) {
  return (
    <CardLink to={`/tools/${tool.id}`} label={tool.name} className="flex flex-col gap-3">
      <div className="flex min-w-0 items-center gap-3">
        <ToolIcon tool={tool} />
        <div className="grid min-w-0 flex-1">
          <h2 className="truncate font-semibold">{tool.name}</h2>
          {tool.category !== null && <p className="truncate text-sm text-ink-faint">{tool.category}</p>}
        </div>
      </div>
      <p className="line-clamp-2 min-h-11 text-base break-words text-ink-soft">{tool.description}</p>
      <div className="mt-auto flex flex-wrap gap-1.5 pt-1">
        <ToolBadges tool={tool} userId={userId} />
      </div>
    </CardLink>
  );
});

function Nothing({ origin, onAll }: { readonly origin: ToolOrigin; onAll(): void }) {
  if (origin === "mine")
    return (
      <EmptyState
        picture="tools"
        title="No tools of yours yet"
        action={
          <>
            <ButtonLink to="/tools/import" icon={<Plug />}>
              Import from MCP
            </ButtonLink>
            <ButtonLink to="/tools/new" variant="primary" icon={<Plus />}>
              New tool
            </ButtonLink>
          </>
        }
      >
        Any HTTPS address of yours can be one: say what it does, what it takes and where it is. Or bring everything that
        an MCP server offers.
      </EmptyState>
    );
  if (origin === "shared")
    return (
      <EmptyState picture="tools" title="Nothing is shared with you">
        People who are in a swarm with you can share their tools. They appear here, and you can give them to your
        agents.
      </EmptyState>
    );
  return (
    <EmptyState picture="search" title="No tool matches" action={<Button onClick={onAll}>Show all tools</Button>}>
      Nothing here has that in its name, description or category.
    </EmptyState>
  );
}

function useToolCommands(tools: readonly Tool[] | undefined): void {
  const navigate = useNavigate();
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: "tools.new",
        label: "New tool",
        group: "Tools",
        icon: <Plus />,
        keys: "n",
        run: () => void navigate("/tools/new"),
      },
      {
        id: "tools.import",
        label: "Import tools from MCP",
        group: "Tools",
        icon: <Plug />,
        run: () => void navigate("/tools/import"),
      },
      ...(tools ?? []).slice(0, MOST_COMMANDS).map(({ id, name }) => ({
        id: `tools.open.${id}`,
        label: `Open ${name}`,
        group: "Tools",
        icon: <Wrench />,
        run: () => void navigate(`/tools/${id}`),
      })),
    ],
    [navigate, tools],
  );
  useCommands(commands);
}
