import { type Trigger, useSetTriggerEnabled } from "../../../data/triggers.ts";
import { Switch } from "../../../components/switch.tsx";
import { useToast } from "../../../components/toast.tsx";

/** Switches a trigger on or off at once. */
export function EnabledSwitch({ trigger: { id, name, enabled } }: { readonly trigger: Trigger }) {
  const { run } = useSetTriggerEnabled();
  const toast = useToast();
  const turn = async (isOn: boolean): Promise<void> => {
    if ((await run({ id, enabled: isOn })) === null) toast({ text: `${name} could not be changed.`, tone: "bad" });
  };
  return <Switch label={`${name}: on`} isOn={enabled} onChange={(isOn) => void turn(isOn)} />;
}
