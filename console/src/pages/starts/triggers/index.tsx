import { Route, Routes } from "react-router";
import { LoadedRow } from "../../../components/one-row.tsx";
import { useTrigger } from "../../../data/triggers.ts";
import { NewTargeted } from "../targeted/new-targeted.tsx";
import { TRIGGER_FORM } from "./trigger-draft.ts";
import { TriggerFields } from "./trigger-fields.tsx";
import { TriggerList } from "./trigger-list.tsx";
import { TriggerPage } from "./trigger-page.tsx";

export function TriggersPage() {
  return (
    <Routes>
      <Route index element={<TriggerList />} />
      <Route
        path="new"
        element={<NewTargeted table="triggers" noun="trigger" kind={TRIGGER_FORM} fields={TriggerFields} />}
      />
      <Route path=":id" element={<LoadedRow noun="trigger" useRead={useTrigger} page={TriggerPage} />} />
    </Routes>
  );
}
