import { useToolUsers } from "../../data/agent-tools.ts";
import { type Tool, useDeleteTool } from "../../data/tools.ts";
import { DeleteByName } from "../../components/delete-by-name.tsx";

export interface DeleteToolProps {
  readonly tool: Tool;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteTool({ tool, ...dialog }: DeleteToolProps) {
  const { rows: users } = useToolUsers(tool.id);
  const count = users?.length ?? 0;
  return (
    <DeleteByName {...dialog} row={tool} noun="tool" remove={useDeleteTool()} listPath="/tools">
      {count > 0 && `${count === 1 ? "One of your agents has" : `${count} of your agents have`} this tool. `}
      The tool, its secrets and its assignments are deleted. This cannot be undone. Past calls stay in the runs.
    </DeleteByName>
  );
}
