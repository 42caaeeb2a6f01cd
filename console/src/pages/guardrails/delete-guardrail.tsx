import { type Guardrail, useDeleteGuardrail } from "../../data/guardrails.ts";
import { DeleteByName } from "../../components/delete-by-name.tsx";

export interface DeleteGuardrailProps {
  readonly guardrail: Guardrail;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteGuardrail({ guardrail, ...dialog }: DeleteGuardrailProps) {
  return (
    <DeleteByName {...dialog} row={guardrail} noun="guardrail" remove={useDeleteGuardrail()} listPath="/guardrails">
      Texts are no longer checked by it. Its flags stay. This cannot be undone.
    </DeleteByName>
  );
}
