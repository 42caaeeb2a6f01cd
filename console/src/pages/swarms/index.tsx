import { Navigate, Route, Routes, useParams } from "react-router";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { NewSwarm } from "./form/new-swarm.tsx";
import { SwarmList } from "./list/swarm-list.tsx";
import { Conversation } from "./swarm/conversation.tsx";
import { SwarmPage } from "./swarm/swarm-page.tsx";
import { SwarmSettingsPage } from "./form/swarm-settings-page.tsx";

export function SwarmsPage() {
  return (
    <Routes>
      <Route index element={<SwarmList />} />
      <Route path="new" element={<NewSwarm />} />
      <Route path=":swarmId" element={<SwarmPage />}>
        <Route index element={<Conversation />} />
        <Route path="runs" element={<RunsOfSwarm />} />
        <Route path="settings" element={<SwarmSettingsPage />} />
      </Route>
      <Route path="*" element={<NoSuchRow noun="swarm" />} />
    </Routes>
  );
}

/** The list of all runs, limited to those of the swarm. */
function RunsOfSwarm() {
  const { swarmId = "" } = useParams();
  return <Navigate replace to={`/runs?swarm=${swarmId}`} />;
}
