import { Route, Routes } from "react-router";
import { useTool } from "../../data/tools.ts";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { LoadedRow } from "../../components/one-row.tsx";
import { AuthorizedPage } from "./authorized-page.tsx";
import { ConnectPage } from "./connect-page.tsx";
import { ImportTools } from "./import-tools.tsx";
import { NewTool } from "./new-tool.tsx";
import { ToolList } from "./tool-list.tsx";
import { ToolPage } from "./tool-page.tsx";

export function ToolsPage() {
  return (
    <Routes>
      <Route index element={<ToolList />} />
      <Route path="new" element={<NewTool />} />
      <Route path="import" element={<ImportTools />} />
      <Route path="authorized" element={<AuthorizedPage />} />
      <Route path="connect/:callId" element={<ConnectPage />} />
      <Route path=":id/:tab?" element={<LoadedRow noun="tool" useRead={useTool} page={ToolPage} />} />
      <Route path="*" element={<NoSuchRow noun="tool" />} />
    </Routes>
  );
}
