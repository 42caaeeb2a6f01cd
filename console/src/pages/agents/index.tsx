import { Route, Routes } from "react-router";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { OneRow } from "../../components/one-row.tsx";
import { AgentList } from "./agent-list.tsx";
import { AgentPage } from "./agent-page.tsx";
import { NewAgent } from "./new-agent.tsx";

export function AgentsPage() {
  return (
    <Routes>
      <Route index element={<AgentList />} />
      <Route path="new" element={<NewAgent />} />
      <Route path=":id/:tab?" element={<OneRow page={AgentPage} />} />
      <Route path="*" element={<NoSuchRow noun="agent" />} />
    </Routes>
  );
}
