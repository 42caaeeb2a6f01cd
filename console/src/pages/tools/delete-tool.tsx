import { useToolUsers } from "../../data/agent-tools.ts";
import { useDeleteRow } from "../../data/changed-rows.ts";
import type { Tool } from "../../data/tools.ts";
import { DeleteMenu } from "../../components/delete-menu.tsx";

export function DeleteTool({ tool }: { readonly tool: Tool }) {
  const { rows: users } = useToolUsers(tool.id);
  const count = users?.length ?? 0;
  return (
    <DeleteMenu row={tool} noun="tool" remove={useDeleteRow("tools")} listPath="/tools">
      {count > 0 && `${count === 1 ? "One of your agents has" : `${count} of your agents have`} this tool. `}
      The tool, its secrets and its assignments are deleted. This cannot be undone. Past calls stay in the runs.
    </DeleteMenu>
  );
}
