import { Route, Routes, useParams } from "react-router";
import { GuardrailList } from "./guardrail-list.tsx";
import { GuardrailPage } from "./guardrail-page.tsx";
import { NewGuardrail } from "./new-guardrail.tsx";

export function GuardrailsPage() {
  return (
    <Routes>
      <Route index element={<GuardrailList />} />
      <Route path="new" element={<NewGuardrail />} />
      <Route path=":id" element={<OneGuardrail />} />
    </Routes>
  );
}

/** The key resets the state of the page when another row is opened. */
function OneGuardrail() {
  const { id = "" } = useParams();
  return <GuardrailPage key={id} id={id} />;
}
