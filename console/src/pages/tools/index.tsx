import { Route, Routes, useParams } from "react-router";
import { AuthorizedPage } from "./authorized-page.tsx";
import { ImportTools } from "./import-tools.tsx";
import { NewTool } from "./new-tool.tsx";
import { ToolGone } from "./tool-gone.tsx";
import { ToolList } from "./tool-list.tsx";
import { ToolPage } from "./tool-page.tsx";

export function ToolsPage() {
  return (
    <Routes>
      <Route index element={<ToolList />} />
      <Route path="new" element={<NewTool />} />
      <Route path="import" element={<ImportTools />} />
      <Route path="authorized" element={<AuthorizedPage />} />
      <Route path=":id/:tab?" element={<OneTool />} />
      <Route path="*" element={<ToolGone />} />
    </Routes>
  );
}

/** The key resets the state of the page when another tool is opened. */
function OneTool() {
  const { id = "" } = useParams();
  return <ToolPage key={id} id={id} />;
}
