import { Route, Routes } from "react-router";
import { OneRow } from "../../components/one-row.tsx";
import { ComparePage } from "./compare-page.tsx";
import { RunList } from "./run-list.tsx";
import { TracePage } from "./trace-page.tsx";

export function RunsPage() {
  return (
    <Routes>
      <Route index element={<RunList />} />
      <Route path="compare" element={<ComparePage />} />
      <Route path=":id" element={<OneRow page={TracePage} />} />
    </Routes>
  );
}
