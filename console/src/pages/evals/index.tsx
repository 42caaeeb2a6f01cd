import { Route, Routes, useParams } from "react-router";
import { useEvalDataset } from "../../data/eval-datasets.ts";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { LoadedRow } from "../../components/one-row.tsx";
import { CasePage } from "./case-page.tsx";
import { DatasetList } from "./dataset-list.tsx";
import { DatasetPage } from "./dataset-page.tsx";
import { EvalRunPage } from "./eval-run-page.tsx";
import { NewDataset } from "./new-dataset.tsx";

export function EvalsPage() {
  return (
    <Routes>
      <Route index element={<DatasetList />} />
      <Route path="new" element={<NewDataset />} />
      <Route path=":id/:tab?" element={<LoadedRow noun="dataset" useRead={useEvalDataset} page={DatasetPage} />} />
      <Route path=":id/cases/:caseId" element={<OneCase />} />
      <Route path=":id/runs/:runId" element={<OneRun />} />
      <Route path="*" element={<NoSuchRow noun="dataset" />} />
    </Routes>
  );
}

/** The keys reset the state of a page when another row is opened. */
function OneCase() {
  const { id = "", caseId = "" } = useParams();
  return <CasePage key={caseId} datasetId={id} caseId={caseId === "new" ? null : caseId} />;
}

function OneRun() {
  const { id = "", runId = "" } = useParams();
  return <EvalRunPage key={runId} datasetId={id} runId={runId} />;
}
