import { Route, Routes } from "react-router";
import { OneRow } from "../../components/one-row.tsx";
import { AgentsForYou } from "./agents-for-you.tsx";
import { AskAgent } from "./ask-agent.tsx";

/** The agents that others let the user ask. */
export function ForYouPage() {
  return (
    <Routes>
      <Route index element={<AgentsForYou />} />
      <Route path=":id" element={<OneRow page={AskAgent} />} />
    </Routes>
  );
}
