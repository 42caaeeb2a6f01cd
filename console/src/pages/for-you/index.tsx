import { Route, Routes, useParams } from "react-router";
import { AgentsForYou } from "./agents-for-you.tsx";
import { AskAgent } from "./ask-agent.tsx";

/** The agents that others let the user ask. */
export function ForYouPage() {
  return (
    <Routes>
      <Route index element={<AgentsForYou />} />
      <Route path=":id" element={<OneAgent />} />
    </Routes>
  );
}

/** The key resets the state of the page when another agent is opened. */
function OneAgent() {
  const { id = "" } = useParams();
  return <AskAgent key={id} id={id} />;
}
