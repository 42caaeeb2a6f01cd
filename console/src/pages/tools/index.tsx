import { Route, Routes, useParams } from "react-router";
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
      <Route path=":id/:tab?" element={<OneTool />} />
      <Route path="*" element={<ToolGone />} />
    </Routes>
  );
}

/** Another tool is another page: nothing that was typed or shown for one must stand on the other's. */
function OneTool() {
  const { id = "" } = useParams();
  return <ToolPage key={id} id={id} />;
}
