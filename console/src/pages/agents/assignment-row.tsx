import { SlidersHorizontal, Trash2 } from "lucide-react";
import type { Askers } from "../../data/acting-tools.ts";
import type { Assignment } from "../../data/agent-tools.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { Link } from "../../components/link.tsx";
import { Switch } from "../../components/switch.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";

export interface AssignmentRowProps {
  readonly assignment: Assignment;
  /** For a tool that acts for the person who asks. */
  readonly askers: Askers | null;
  onTurn(enabled: boolean): void;
  onConfigure(): void;
  onRemove(): void;
}

const ASKERS: Readonly<Record<Askers, { readonly tone: Tone; readonly word: string }>> = {
  everybody: { tone: "accent", word: "Acts for who asks" },
  user: { tone: "neutral", word: "Acts only for you" },
  nobody: { tone: "bad", word: "Not vouched for by the app" },
};
const APPROVERS = { owner: "Owner approves", asker: "Who asks approves" } as const;
const UNKNOWN = { name: "A tool that is no longer shared", kind: "", icon: null, description: "" } as const;

export function AssignmentRow({ assignment, askers, onTurn, onConfigure, onRemove }: AssignmentRowProps) {
  const { tool, enabled, configuration, approver } = assignment;
  const { name, description } = tool ?? UNKNOWN;
  const settled = Object.keys(configuration).length;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-3.5">
      <ToolIcon tool={tool ?? UNKNOWN} />
      <div className="grid min-w-0 flex-1 basis-40">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          {tool === null ? (
            <span className="font-medium">{name}</span>
          ) : (
            <Link to={`/tools/${tool.id}`} className="truncate text-ink">
              {name}
            </Link>
          )}
          {tool?.requires_approval === true && <Badge tone="thinking">Requires approval</Badge>}
          {approver !== null && <Badge>{APPROVERS[approver]}</Badge>}
          {askers !== null && <Badge tone={ASKERS[askers].tone}>{ASKERS[askers].word}</Badge>}
          {tool?.enabled === false && <Badge tone="bad">Disabled by its owner</Badge>}
          {settled > 0 && <Badge tone="accent">{settled} configured</Badge>}
        </div>
        <p className="line-clamp-2 text-sm text-ink-soft">{description}</p>
      </div>
      <div className="order-last flex w-full items-center justify-end gap-1 sm:order-none sm:w-auto">
        <Button
          variant="quiet"
          size="small"
          icon={<SlidersHorizontal />}
          onClick={onConfigure}
          aria-label={`Configure ${name}`}
        >
          Configure
        </Button>
        <IconButton size="small" label={`Remove ${name}`} icon={<Trash2 />} onClick={onRemove} />
      </div>
      <Switch isOn={enabled} onChange={onTurn} label={`${name}: on`} />
    </li>
  );
}
