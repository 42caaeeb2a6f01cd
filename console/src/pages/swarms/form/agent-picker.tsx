import { useEffect, useState } from "react";
import { useAgentChoices } from "../../../data/swarm-agents.ts";
import { Badge } from "../../../components/badge.tsx";
import { Checkbox } from "../../../components/checkbox.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { ButtonLink } from "../../../components/link.tsx";
import { SearchInput } from "../../../components/search-input.tsx";
import { ListSkeleton } from "../../../components/skeleton.tsx";
import { useDebounced } from "../../../components/use-debounced.ts";
import { VirtualList } from "../../../components/virtual-list.tsx";

interface AgentPickerProps {
  /** In the order of selection, which is the speaking order. */
  readonly chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
  /** The agents that are in the swarm already. */
  readonly without?: ReadonlySet<string>;
}

const ROW_HEIGHT = 48;
const MAX_ROWS = 6;

export function AgentPicker({ chosen, onChange, without }: AgentPickerProps) {
  const [search, setSearch] = useState("");
  const { rows, isCut, search: find, ...read } = useAgentChoices(chosen);
  const settled = useDebounced(search);
  useEffect(() => {
    find(settled);
  }, [find, settled]);
  if (rows === undefined)
    return <NotLoaded title="Your agents could not be loaded" read={read} skeleton={<ListSkeleton rows={3} />} />;
  const left = rows.filter(({ id }) => without?.has(id) !== true);
  if (left.length === 0 && !isCut)
    return (
      <div className="flex flex-wrap items-center justify-between gap-3 rounded-md border border-dashed border-line-strong p-4 text-ink-soft">
        {rows.length === 0 ? "You have no agent yet." : "All of your agents are in the swarm already."}
        <ButtonLink to="/agents/new" size="small">
          New agent
        </ButtonLink>
      </div>
    );
  const found = left.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div className="grid gap-2">
      {(left.length > MAX_ROWS || isCut) && (
        <SearchInput label="Search your agents" value={search} onChange={setSearch} />
      )}
      <div className="overflow-hidden rounded-md border border-line">
        <VirtualList
          label="Your agents"
          rows={found}
          keyOf={({ id }) => id}
          rowHeight={ROW_HEIGHT}
          height={`${Math.min(Math.max(found.length, 1), MAX_ROWS) * ROW_HEIGHT}px`}
          renderRow={({ id, name, role }) => {
            const index = chosen.indexOf(id);
            return (
              <div className="flex min-h-12 items-center justify-between gap-3 border-b border-line px-3 py-2 [[role=listitem]:last-child>&]:border-b-0">
                <Checkbox
                  isChecked={index !== -1}
                  onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
                  label={
                    <>
                      <span className="font-medium">{name}</span>
                      {role !== null && <span className="text-ink-faint"> · {role}</span>}
                    </>
                  }
                />
                {index !== -1 && chosen.length > 1 && <Badge tone="accent">speaks {ordinal(index + 1)}</Badge>}
              </div>
            );
          }}
        />
      </div>
    </div>
  );
}

const rules = new Intl.PluralRules("en", { type: "ordinal" });
const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };

function ordinal(position: number): string {
  return `${position}${ENDINGS[rules.select(position)] ?? "th"}`;
}
