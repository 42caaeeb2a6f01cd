import { Route, Routes } from "react-router";
import { useGuardrail } from "../../data/guardrails.ts";
import { LoadedRow } from "../../components/one-row.tsx";
import { GuardrailList } from "./guardrail-list.tsx";
import { GuardrailPage } from "./guardrail-page.tsx";
import { NewGuardrail } from "./new-guardrail.tsx";

export function GuardrailsPage() {
  return (
    <Routes>
      <Route index element={<GuardrailList />} />
      <Route path="new" element={<NewGuardrail />} />
      <Route path=":id" element={<LoadedRow noun="guardrail" useRead={useGuardrail} page={GuardrailPage} />} />
    </Routes>
  );
}
