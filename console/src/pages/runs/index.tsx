import { Route, Routes, useParams } from "react-router";
import { ComparePage } from "./compare-page.tsx";
import { RunList } from "./run-list.tsx";
import { TracePage } from "./trace-page.tsx";

export function RunsPage() {
  return (
    <Routes>
      <Route index element={<RunList />} />
      <Route path="compare" element={<ComparePage />} />
      <Route path=":runId" element={<OneRun />} />
    </Routes>
  );
}

/** The key resets the state of the page when another run is opened. */
function OneRun() {
  const { runId = "" } = useParams();
  return <TracePage key={runId} runId={runId} />;
}
