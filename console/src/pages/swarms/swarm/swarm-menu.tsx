import type { SwarmStatus } from "@swarmbase/sdk";
import {
  Archive,
  ArchiveRestore,
  CircleCheck,
  DoorOpen,
  Download,
  Ellipsis,
  FileJson,
  Pause,
  Play,
  Trash2,
} from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { useNavigate } from "react-router";
import { useDeleteRow } from "../../../data/changed-rows.ts";
import type { Message } from "../../../data/conversation-pages.ts";
import { readConversation } from "../../../data/messages.ts";
import { useCommands } from "../../../components/commands.tsx";
import { DropdownMenu, type MenuItem } from "../../../components/dropdown-menu.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { useToast } from "../../../components/toast.tsx";
import { saveFile } from "../../../components/save-file.ts";
import { DeleteSwarm } from "../form/delete-swarm.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { useSetStatus } from "./use-set-status.ts";

interface StatusStep {
  readonly to: SwarmStatus;
  readonly label: string;
  readonly icon: ReactNode;
}

const STEPS: Readonly<Record<SwarmStatus, readonly StatusStep[]>> = {
  active: [
    { to: "paused", label: "Pause", icon: <Pause /> },
    { to: "completed", label: "Mark as completed", icon: <CircleCheck /> },
    { to: "archived", label: "Archive", icon: <Archive /> },
  ],
  paused: [
    { to: "active", label: "Resume", icon: <Play /> },
    { to: "completed", label: "Mark as completed", icon: <CircleCheck /> },
    { to: "archived", label: "Archive", icon: <Archive /> },
  ],
  completed: [
    { to: "active", label: "Reopen", icon: <Play /> },
    { to: "archived", label: "Archive", icon: <Archive /> },
  ],
  archived: [{ to: "active", label: "Restore", icon: <ArchiveRestore /> }],
};

export function SwarmMenu() {
  const { swarm, rights } = useSwarmContext();
  const [isDeleting, setDeleting] = useState(false);
  const setStatus = useSetStatus();
  const take = useExport();
  const leave = useLeave();
  const steps: readonly MenuItem[] = rights.canManage
    ? STEPS[swarm.status].map(({ to, label, icon }) => ({ label, icon, onSelect: () => setStatus(to) }))
    : [];
  const exports: readonly MenuItem[] = [
    { label: "Export as Markdown", icon: <Download />, onSelect: () => take("markdown") },
    { label: "Export as JSON", icon: <FileJson />, onSelect: () => take("json") },
  ];
  const ends: readonly MenuItem[] = rights.canDelete
    ? [{ label: "Delete …", icon: <Trash2 />, isDangerous: true, onSelect: () => setDeleting(true) }]
    : [{ label: "Leave swarm", icon: <DoorOpen />, isDangerous: true, onSelect: leave }];
  useCommands([
    ...(rights.canManage ? STEPS[swarm.status] : []).map(({ to, label, icon }) => ({
      id: `swarm.status.${to}`,
      label: `${label}: this swarm`,
      group: "This swarm",
      icon,
      run: () => setStatus(to),
    })),
    {
      id: "swarm.export",
      label: "Export the conversation as Markdown",
      group: "This swarm",
      icon: <Download />,
      keywords: ["download", "save"],
      run: () => take("markdown"),
    },
  ]);
  return (
    <>
      <DropdownMenu
        trigger={<IconButton label="More about this swarm" icon={<Ellipsis />} />}
        groups={[steps, exports, ends].filter((group) => group.length > 0)}
      />
      <DeleteSwarm swarm={swarm} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}

function useLeave(): () => void {
  const { swarm, userId } = useSwarmContext();
  const remove = useDeleteRow("swarm_members");
  const show = useToast();
  const navigate = useNavigate();
  return () => {
    const own = swarm.mine[0]?.id;
    if (own === undefined || swarm.owner_id === userId) return;
    void remove.run(own).then((done) => {
      if (done === null) return show({ text: "You could not leave. Try again.", tone: "bad" });
      show({ text: `You have left ${swarm.name}.` });
      return navigate("/swarms");
    });
  };
}

type Kind = "markdown" | "json";

/** Saves the whole conversation as a file. */
function useExport(): (kind: Kind) => void {
  const { swarm } = useSwarmContext();
  const show = useToast();
  const { id, name } = swarm;
  return useCallback(
    (kind) => {
      void readConversation(id).then(
        (messages) => {
          const text = kind === "json" ? JSON.stringify(messages, null, 2) : renderMarkdown(name, messages);
          saveFile(`${toFileName(name)}.${kind === "json" ? "json" : "md"}`, new Blob([text]));
          show({ text: `${messages.length} messages are in your downloads.` });
        },
        () => show({ text: "The conversation could not be read.", tone: "bad" }),
      );
    },
    [id, name, show],
  );
}

function renderMarkdown(name: string, messages: readonly Message[]): string {
  const parts = messages.map(({ sender_name: sender, created_at: at, edited_at: edited, content }) => {
    const note = edited === null ? "" : " (edited)";
    return `**${sender}** · ${at}${note}\n\n${content ?? "*deleted*"}`;
  });
  return `${[`# ${name}`, ...parts].join("\n\n---\n\n")}\n`;
}

function toFileName(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "conversation"
  );
}
