import { EVENT_TYPES_BY_GROUP, type EventGroup, isAppEventType } from "@swarmbase/sdk";
import { CircleAlert } from "lucide-react";
import { useId, useState } from "react";
import { type AnyEventType, type DescribedEventType, useEventTypes } from "../../../data/event-types.ts";
import { isPortal } from "../../../data/portal.ts";
import { Button } from "../../../components/button.tsx";
import { Checkbox } from "../../../components/checkbox.tsx";
import { SearchInput } from "../../../components/search-input.tsx";

interface EventPickerProps {
  readonly chosen: readonly AnyEventType[];
  onChange(chosen: readonly AnyEventType[]): void;
  readonly error?: string | undefined;
}

const GROUP_LABELS: Readonly<Record<EventGroup, string>> = {
  message: "Messages",
  swarm: "Swarms",
  run: "Runs",
  agent: "Agents",
  tool: "Tools",
  user: "People",
};
const GROUPS = Object.entries(EVENT_TYPES_BY_GROUP) as [EventGroup, readonly AnyEventType[]][];

/** Selects event types, individually or by group. */
export function EventPicker({ chosen, onChange, error }: EventPickerProps) {
  const [search, setSearch] = useState("");
  const errorId = useId();
  const all = useEventTypes();
  const matching = all.filter((described) => matches(described, search));
  const found = [
    ...GROUPS.map(([group, types]) => ({
      label: GROUP_LABELS[group],
      types: matching.filter(({ type }) => types.includes(type)),
    })),
    { label: isPortal() ? "The app" : "Your app", types: matching.filter(({ type }) => isAppEventType(type)) },
  ].filter(({ types }) => types.length > 0);
  const choose = (types: readonly AnyEventType[], isOn: boolean) => {
    const next = new Set(isOn ? [...chosen, ...types] : chosen.filter((type) => !types.includes(type)));
    const listed = all.map(({ type }) => type);
    // In the order of the list, not of the clicks. Types that only the service role sees stay.
    onChange([...listed.filter((type) => next.has(type)), ...[...next].filter((type) => !listed.includes(type))]);
  };
  const isAll = all.every(({ type }) => chosen.includes(type));
  return (
    <div role="group" aria-label="Events" {...(error !== undefined && { "aria-describedby": errorId })}>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <div className="flex w-full sm:w-72">
          <SearchInput label="Search the events" value={search} onChange={setSearch} />
        </div>
        <span role="status" className="text-sm text-ink-faint tabular-nums max-sm:mr-auto sm:ml-auto">
          {chosen.length} of {all.length} selected
        </span>
        <Button
          size="small"
          onClick={() =>
            choose(
              all.map(({ type }) => type),
              !isAll,
            )
          }
        >
          {isAll ? "Select none" : "Select all"}
        </Button>
      </div>
      {error !== undefined && (
        <p id={errorId} role="alert" className="mb-4 flex items-start gap-1.5 text-sm text-bad">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {error}
        </p>
      )}
      {found.length === 0 && <p className="py-6 text-center text-ink-faint">No event matches.</p>}
      <div className="-mb-4 gap-4 md:columns-2">
        {found.map(({ label, types }) => (
          <Group key={label} label={label} types={types} chosen={chosen} choose={choose} />
        ))}
      </div>
    </div>
  );
}

interface GroupProps {
  readonly label: string;
  readonly types: readonly DescribedEventType[];
  readonly chosen: readonly AnyEventType[];
  choose(types: readonly AnyEventType[], isOn: boolean): void;
}

function Group({ label, types: described, chosen, choose }: GroupProps) {
  const types = described.map(({ type }) => type);
  const count = types.filter((type) => chosen.includes(type)).length;
  const state = count === 0 ? false : count === types.length ? true : "some";
  return (
    <fieldset className="mb-4 min-w-0 break-inside-avoid overflow-hidden rounded-md border border-line">
      <legend className="sr-only">{label}</legend>
      <div className="border-b border-line bg-sunken px-3.5 py-2.5 font-medium">
        <Checkbox isChecked={state} onChange={(isOn) => choose(types, isOn)} label={label} />
      </div>
      <div className="grid gap-3 p-3.5">
        {described.map(({ type, summary }) => (
          <Checkbox
            key={type}
            isChecked={chosen.includes(type)}
            onChange={(isOn) => choose([type], isOn)}
            label={<span className="font-mono text-sm">{type}</span>}
            hint={summary}
          />
        ))}
      </div>
    </fieldset>
  );
}

function matches({ type, summary }: DescribedEventType, search: string): boolean {
  const words = search.trim().toLowerCase().split(/\s+/);
  const text = `${type} ${summary}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
