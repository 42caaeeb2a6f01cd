import { ArrowUpToLine, Eye, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useDeleteRow } from "../../../data/changed-rows.ts";
import { type Grant, useSaveGrant } from "../../../data/agent-grants.ts";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { type Choice, Select } from "../../../components/select.tsx";
import { useToast } from "../../../components/toast.tsx";
import { describeState, listTerms } from "./describe-grant.ts";
import { AS_IT_IS } from "./grant-schema.ts";

interface GrantRowProps {
  readonly grant: Grant;
  readonly name: string;
  readonly versions: readonly Choice[];
  onEdit(): void;
  /** Shows what its customers see. */
  onShow(): void;
}

export function GrantRow({ grant, name, versions, onEdit, onShow }: GrantRowProps) {
  const [isDeleting, setDeleting] = useState(false);
  const remove = useDeleteRow("agent_grants");
  const toast = useToast();
  const state = describeState(grant);
  const onDelete = async () => {
    const isGone = (await remove.run(grant.id)) !== null;
    setDeleting(false);
    toast(isGone ? { text: "The grant is deleted." } : { text: "The grant could not be deleted.", tone: "bad" });
  };
  return (
    <li aria-label={name} className="grid min-w-0 grid-cols-1 gap-2 rounded-md border border-line p-3.5">
      <div className="flex min-w-0 items-start gap-2">
        <div className="grid min-w-0 flex-1 grid-cols-1 gap-0.5">
          <h3 className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
            <span className="min-w-0">{name}</span>
            {state !== null && <Badge tone={state.tone}>{state.label}</Badge>}
          </h3>
          <p className="text-sm text-ink-soft">
            {listTerms(grant).join(" · ")}
            {grant.expires_at !== null && (
              <>
                {" "}
                · ends <RelativeTime at={grant.expires_at} />
              </>
            )}
          </p>
        </div>
        <IconButton size="small" label={`See as ${name}`} icon={<Eye />} onClick={onShow} />
        <IconButton size="small" label={`Edit the grant of ${name}`} icon={<Pencil />} onClick={onEdit} />
        <IconButton
          size="small"
          label={`Delete the grant of ${name}`}
          icon={<Trash2 />}
          onClick={() => setDeleting(true)}
        />
      </div>
      <VersionInUse grant={grant} name={name} versions={versions} />
      <ActionDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the grant of ${name}?`}
        action="Delete grant"
        isDangerous
        isBusy={remove.isBusy}
        onAction={() => void onDelete()}
      >
        <p className="text-ink-soft">
          Running answers end at their next step. Conversations stay readable for those who had them.
        </p>
      </ActionDialog>
    </li>
  );
}

/** The version that answers. It is moved and moved back with one click. */
function VersionInUse({ grant, name, versions }: Pick<GrantRowProps, "grant" | "name" | "versions">) {
  const save = useSaveGrant();
  const toast = useToast();
  const current = String(grant.agent_version ?? AS_IT_IS);
  const newest = versions[1]?.value ?? "";
  const move = async (to: number | null, base: Grant) => {
    if ((await save.run({ agentId: grant.agent_id, base, columns: { agent_version: to } })) === null) return;
    toast({
      text: to === null ? `${name}: the agent as it is.` : `${name}: version ${to}.`,
      action: { label: "Undo", run: () => void move(base.agent_version, { ...base, agent_version: to }) },
    });
  };
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="text-ink-soft">Answers with</span>
        <Select
          size="small"
          className="w-48"
          aria-label={`Version for ${name}`}
          value={current}
          choices={versions}
          disabled={save.isBusy}
          onChange={(version) => void move(version === AS_IT_IS ? null : Number(version), grant)}
        />
        {current !== AS_IT_IS && current !== newest && (
          <Button size="small" icon={<ArrowUpToLine />} onClick={() => void move(Number(newest), grant)}>
            Move to version {newest}
          </Button>
        )}
      </div>
      {save.failure !== null && (
        <p role="alert" className="text-sm text-bad">
          {save.failure.message}
        </p>
      )}
    </div>
  );
}
