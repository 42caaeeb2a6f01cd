import { PanelRightOpen } from "lucide-react";
import { useOpenFlags } from "../../../data/message-writes.ts";
import type { LiveRun } from "../../../data/live-run.ts";
import { useCommands } from "../../../components/commands.tsx";
import { Drawer } from "../../../components/drawer.tsx";
import { useSwarmContext } from "../swarm/swarm-context.ts";
import { AgentsPanel } from "./agents-panel.tsx";
import { FlagsPanel } from "./flags-panel.tsx";
import { PeoplePanel } from "./people-panel.tsx";

interface SidePanelProps {
  readonly runs: readonly LiveRun[];
  onJump(messageId: string): void;
}

/** The agents and members of the swarm, beside the conversation or in a drawer. */
export function SidePanel({ runs, onJump }: SidePanelProps) {
  const { rights, swarm, isPanelOpen, setPanelOpen } = useSwarmContext();
  const { rows: flags = [] } = useOpenFlags(swarm.id, rights.canManage);
  useCommands([
    {
      id: "swarm.panel",
      label: "Show agents and people",
      group: "This swarm",
      icon: <PanelRightOpen />,
      run: () => setPanelOpen(true),
    },
  ]);
  const content = (
    <>
      {flags.length > 0 && (
        <FlagsPanel
          flags={flags}
          onJump={(id) => {
            setPanelOpen(false);
            onJump(id);
          }}
        />
      )}
      <AgentsPanel runs={runs} />
      <PeoplePanel />
    </>
  );
  return (
    <>
      <aside
        aria-label="Agents and people"
        className="hidden w-80 shrink-0 content-start gap-6 overflow-y-auto border-l border-line bg-surface px-4 py-5 xl:grid"
      >
        {content}
      </aside>
      <Drawer isOpen={isPanelOpen} onClose={() => setPanelOpen(false)} title="Agents and people">
        <div className="grid gap-6">{content}</div>
      </Drawer>
    </>
  );
}
