import { useUpdateRow } from "../../../data/changed-rows.ts";
import { Switch } from "../../../components/switch.tsx";
import { useToast } from "../../../components/toast.tsx";

interface EnabledSwitchProps {
  readonly table: "schedules" | "triggers";
  readonly row: { readonly id: string; readonly name: string; readonly enabled: boolean };
}

/** Switches a row on or off at once. */
export function EnabledSwitch({ table, row: { id, name, enabled } }: EnabledSwitchProps) {
  const { run } = useUpdateRow<{ readonly id: string; readonly enabled: boolean }>(table);
  const toast = useToast();
  const turn = async (isOn: boolean): Promise<void> => {
    if ((await run({ id, enabled: isOn })) === null) toast({ text: `${name} could not be changed.`, tone: "bad" });
  };
  return <Switch label={`${name}: on`} isOn={enabled} onChange={(isOn) => void turn(isOn)} />;
}
