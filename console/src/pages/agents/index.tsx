import { Route, Routes, useParams } from "react-router";
import { AgentGone } from "./agent-gone.tsx";
import { AgentList } from "./agent-list.tsx";
import { AgentPage } from "./agent-page.tsx";
import { NewAgent } from "./new-agent.tsx";

export function AgentsPage() {
  return (
    <Routes>
      <Route index element={<AgentList />} />
      <Route path="new" element={<NewAgent />} />
      <Route path=":id/:tab?" element={<OneAgent />} />
      <Route path="*" element={<AgentGone />} />
    </Routes>
  );
}

/** The key resets the state of the page when another agent is opened. */
function OneAgent() {
  const { id = "" } = useParams();
  return <AgentPage key={id} id={id} />;
}
