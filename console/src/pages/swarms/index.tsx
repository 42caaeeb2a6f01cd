import { Route, Routes } from "react-router";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { NewSwarm } from "./form/new-swarm.tsx";
import { SwarmList } from "./list/swarm-list.tsx";
import { Conversation } from "./swarm/conversation.tsx";
import { SwarmPage } from "./swarm/swarm-page.tsx";
import { RunList } from "./runs/run-list.tsx";
import { RunPage } from "./runs/run-page.tsx";
import { SwarmSettingsPage } from "./form/swarm-settings-page.tsx";

export function SwarmsPage() {
  return (
    <Routes>
      <Route index element={<SwarmList />} />
      <Route path="new" element={<NewSwarm />} />
      <Route path=":swarmId" element={<SwarmPage />}>
        <Route index element={<Conversation />} />
        <Route path="runs" element={<RunList />} />
        <Route path="runs/:runId" element={<RunPage />} />
        <Route path="settings" element={<SwarmSettingsPage />} />
      </Route>
      <Route path="*" element={<NoSuchRow noun="swarm" />} />
    </Routes>
  );
}
