import { useNavigate } from "react-router";
import { type Guardrail, useDeleteGuardrail } from "../../data/guardrails.ts";
import { ConfirmByName } from "../../components/confirm-by-name.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { useToast } from "../../components/toast.tsx";

export interface DeleteGuardrailProps {
  readonly guardrail: Guardrail;
  readonly isOpen: boolean;
  onClose(): void;
}

export function DeleteGuardrail({ guardrail: { id, name }, isOpen, onClose }: DeleteGuardrailProps) {
  const remove = useDeleteGuardrail();
  const toast = useToast();
  const navigate = useNavigate();
  const confirm = async () => {
    const isGone = (await remove.run(id)) !== null;
    onClose();
    toast(isGone ? { text: `${name} is deleted.` } : { text: `${name} could not be deleted.`, tone: "bad" });
    if (isGone) await navigate("/guardrails", { state: SAVED });
  };
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${name}`}
      name={name}
      action="Delete the guardrail"
      isBusy={remove.isBusy}
      onConfirm={() => void confirm()}
    >
      Texts are no longer checked by it. Its flags stay. This cannot be undone.
    </ConfirmByName>
  );
}
