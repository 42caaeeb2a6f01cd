import { Route, Routes } from "react-router";
import { OneRow } from "../../../components/one-row.tsx";
import { NewTrigger } from "./new-trigger.tsx";
import { TriggerList } from "./trigger-list.tsx";
import { TriggerPage } from "./trigger-page.tsx";

export function TriggersPage() {
  return (
    <Routes>
      <Route index element={<TriggerList />} />
      <Route path="new" element={<NewTrigger />} />
      <Route path=":id" element={<OneRow page={TriggerPage} />} />
    </Routes>
  );
}
