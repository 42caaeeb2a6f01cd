import { clsx } from "clsx";
import { useState } from "react";
import {
  type ImportOutcome,
  type ImportOptions,
  type RemoteServer,
  type RemoteTool,
  useImportRemote,
} from "../../data/tool-calls.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { SearchInput } from "../../components/search-input.tsx";
import { Select } from "../../components/select.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";

interface ChooseRemoteProps {
  readonly server: RemoteServer;
  readonly tools: readonly RemoteTool[];
  onImported(outcome: ImportOutcome): void;
}

const ROW_HEIGHT = 66;
/** Longer lists scroll in a container of their own. */
const MANY = 7;

export function ChooseRemote({ server, tools, onImported }: ChooseRemoteProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(tools.map(({ name }) => name)));
  const [search, setSearch] = useState("");
  const [visibility, setVisibility] = useState<ImportOptions["visibility"]>("private");
  const importing = useImportRemote();
  const text = search.trim().toLowerCase();
  const shown = tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(text));
  const shownChosen = shown.filter(({ name }) => chosen.has(name)).length;
  const choose = (names: readonly string[], isChosen: boolean) =>
    setChosen((old) => new Set(isChosen ? [...old, ...names] : [...old].filter((name) => !names.includes(name))));
  const run = async () => {
    const outcome = await importing.run({ server, names: [...chosen], visibility });
    if (outcome !== null) onImported(outcome);
  };
  if (tools.length === 0) return <Banner tone="note">The server responds, but it has no tools.</Banner>;
  return (
    <CardSection
      title={tools.length === 1 ? "The server has one tool" : `The server has ${tools.length} tools`}
      description="Names are adapted to the rules of models and unique among your tools."
    >
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Checkbox
            label={`${chosen.size} selected`}
            isChecked={shownChosen === 0 ? false : shownChosen === shown.length ? true : "some"}
            onChange={(isChecked) =>
              choose(
                shown.map(({ name }) => name),
                isChecked,
              )
            }
          />
          {tools.length > MANY && <SearchInput label="Search the tools" value={search} onChange={setSearch} />}
        </div>
        <div className="rounded-md border border-line">
          <VirtualList
            label="Tools of the server"
            rows={shown}
            keyOf={({ name }) => name}
            rowHeight={ROW_HEIGHT}
            {...(tools.length > MANY && { height: "26rem" })}
            renderRow={({ name, description }, index) => (
              <div className={clsx("px-3.5 py-3", index > 0 && "border-t border-line")}>
                <Checkbox
                  label={<span className="font-medium break-all">{name}</span>}
                  hint={<span className="line-clamp-2">{description || "No description."}</span>}
                  isChecked={chosen.has(name)}
                  onChange={(isChecked) => choose([name], isChecked)}
                />
              </div>
            )}
          />
        </div>
        {importing.failure !== null && <Banner tone="bad">{importing.failure.message}</Banner>}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Select<ImportOptions["visibility"]>
            aria-label="Who may assign them to agents"
            className="w-60"
            value={visibility}
            choices={[
              { value: "private", label: "Only for my agents" },
              { value: "shared", label: "Also for people in my swarms" },
            ]}
            onChange={setVisibility}
          />
          <Button variant="primary" isBusy={importing.isBusy} disabled={chosen.size === 0} onClick={() => void run()}>
            {chosen.size === 1 ? "Import 1 tool" : `Import ${chosen.size} tools`}
          </Button>
        </div>
      </div>
    </CardSection>
  );
}
