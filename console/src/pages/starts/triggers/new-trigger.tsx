import { useCreateTrigger } from "../../../data/triggers.ts";
import { NewTargeted } from "../targeted/new-targeted.tsx";
import { TRIGGER_FORM } from "./trigger-form.ts";

export function NewTrigger() {
  return <NewTargeted kind={TRIGGER_FORM} listTitle="Triggers" create={useCreateTrigger()} />;
}
