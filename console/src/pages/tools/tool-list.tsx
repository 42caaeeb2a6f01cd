import { Plug } from "lucide-react";
import { memo, useCallback } from "react";
import { useBulk } from "../../data/bulk.ts";
import { SORTS } from "../../data/keyset.ts";
import { useUser } from "../../data/session.ts";
import { TOOL_ORIGINS, type Tool, type ToolOrigin, useTools } from "../../data/tools.ts";
import { BULK_DELETE } from "../../components/bulk-bar.tsx";
import { CardGrid } from "../../components/card-grid.tsx";
import { CardLink } from "../../components/card.tsx";
import { columnsOf } from "../../components/csv.ts";
import { ButtonLink } from "../../components/link.tsx";
import { NAMED_ORDERS } from "../../components/list-filters.tsx";
import { ListPage } from "../../components/list-page.tsx";
import type { Choice } from "../../components/select.tsx";
import { SelectBox } from "../../components/select-box.tsx";
import { CardsSkeleton } from "../../components/skeleton.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { useFilters } from "../../components/use-filters.ts";
import { useSelection } from "../../components/use-selection.ts";
import { ToolBadges } from "./tool-badges.tsx";

const CARD_HEIGHT = 174;
const ORIGIN_CHOICES: readonly Choice<ToolOrigin>[] = [
  { value: "builtin", label: "Built in" },
  { value: "mine", label: "Mine" },
  { value: "shared", label: "Shared with me" },
];
const EXPORTED = columnsOf<Tool>("name", "category", "description", "created_at");
const NO_TOOLS =
  "Any HTTPS endpoint can be a tool: describe what it does, its arguments and its URL. Or import the tools of an MCP server.";
const NONE_SHARED =
  "Members of your swarms can share their tools. They appear here, and you can assign them to your agents.";
const IMPORT_COMMAND = [{ id: "tools.import", label: "Import tools from MCP", icon: <Plug />, to: "/tools/import" }];

export function ToolList() {
  const filters = useFilters();
  const user = useUser();
  const origin = filters.choice("from", TOOL_ORIGINS) ?? "all";
  const sort = filters.sort(SORTS);
  const tools = useTools({ origin, search: filters.debouncedSearch, userId: user.id, sort });
  const isOwn = useCallback((tool: Tool) => tool.owner_id === user.id, [user.id]);
  const selection = useSelection(tools.rows, isOwn);
  const bulk = useBulk("tools");
  const isSearching = filters.search.trim() !== "";
  const hasNoneOfOrigin = !isSearching && (origin === "mine" || origin === "shared");
  return (
    <ListPage
      title="Tools"
      description="What agents can do while they answer. Assign tools on the page of an agent."
      actions={
        <ButtonLink to="/tools/import" icon={<Plug />}>
          Import from MCP
        </ButtonLink>
      }
      named={{ path: "tools", more: IMPORT_COMMAND }}
      noun="tools"
      one="tool"
      noMatchHint={
        hasNoneOfOrigin ? (origin === "mine" ? NO_TOOLS : NONE_SHARED) : "No name, description or category matches."
      }
      filters={filters}
      searchLabel="Search the catalogue"
      choices={[{ name: "from", label: "Origin", choices: ORIGIN_CHOICES }]}
      orders={NAMED_ORDERS}
      exported={EXPORTED}
      bulk={{
        selection,
        actions: [
          {
            ...BULK_DELETE,
            explanation:
              "No agent can use them any more, also agents of others that you share them with. This cannot be undone.",
            run: bulk.remove,
          },
        ],
      }}
      pages={tools}
      skeleton={<CardsSkeleton />}
      empty={NO_TOOLS}
      picture="tools"
    >
      {(rows, foot) => (
        <CardGrid
          label="Tools"
          rows={rows}
          keyOf={({ id }) => id}
          cardHeight={CARD_HEIGHT}
          renderCard={(tool) => (
            <ToolCard
              tool={tool}
              userId={user.id}
              isSelected={selection.has(tool.id)}
              {...(isOwn(tool) && { onToggle: selection.toggle })}
            />
          )}
          onEndReached={tools.loadMore}
          foot={foot}
        />
      )}
    </ListPage>
  );
}

interface ToolCardProps {
  readonly tool: Tool;
  readonly userId: string;
  readonly isSelected: boolean;
  /** Only for tools of the user. */
  onToggle?(id: string, isRange: boolean): void;
}

const ToolCard = memo(function ToolCard({ tool, userId, isSelected, onToggle }: ToolCardProps) {
  return (
    <CardLink to={`/tools/${tool.id}`} label={tool.name} className="flex flex-col gap-3">
      <div className="flex min-w-0 items-center gap-3">
        <ToolIcon tool={tool} />
        <div className="grid min-w-0 flex-1">
          <h2 className="truncate font-semibold">{tool.name}</h2>
          {tool.category !== null && <p className="truncate text-sm text-ink-faint">{tool.category}</p>}
        </div>
        {onToggle !== undefined && (
          <SelectBox
            name={tool.name}
            isSelected={isSelected}
            onToggle={(isRange) => onToggle(tool.id, isRange)}
            className="self-start"
          />
        )}
      </div>
      <p className="line-clamp-2 min-h-11 text-base break-words text-ink-soft">{tool.description}</p>
      <div className="mt-auto flex flex-wrap gap-1.5 pt-1">
        <ToolBadges tool={tool} userId={userId} />
      </div>
    </CardLink>
  );
});
