import { useNavigate } from "react-router";
import { useToolUsers } from "../../data/agent-tools.ts";
import { type Tool, useDeleteTool } from "../../data/tools.ts";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { useToast } from "../../components/toast.tsx";

export interface DeleteToolProps {
  readonly tool: Tool;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteTool({ tool, isOpen, onClose }: DeleteToolProps) {
  const remove = useDeleteTool();
  const { rows: users } = useToolUsers(tool.id);
  const toast = useToast();
  const navigate = useNavigate();
  const confirm = async () => {
    const isGone = (await remove.run(tool.id)) !== null;
    onClose();
    toast(isGone ? { text: `${tool.name} is deleted.` } : { text: `${tool.name} could not be deleted.`, tone: "bad" });
    if (isGone) await navigate("/tools");
  };
  const count = users?.length ?? 0;
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${tool.name}`}
      name={tool.name}
      action="Delete the tool"
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
    >
      {count > 0 && `${count === 1 ? "One of your agents has" : `${count} of your agents have`} this tool. `}
      The tool, its secrets and its assignments are deleted. This cannot be undone. Past calls stay in the runs.
    </ConfirmByName>
  );
}
