import { type Schedule, useSetScheduleEnabled } from "../../../data/schedules.ts";
import { Switch } from "../../../components/switch.tsx";
import { useToast } from "../../../components/toast.tsx";

/** Switches a schedule on or off at once. */
export function EnabledSwitch({ schedule: { id, name, enabled } }: { readonly schedule: Schedule }) {
  const { run } = useSetScheduleEnabled();
  const toast = useToast();
  const turn = async (isOn: boolean): Promise<void> => {
    if ((await run({ id, enabled: isOn })) === null) toast({ text: `${name} could not be changed.`, tone: "bad" });
  };
  return <Switch label={`${name}: on`} isOn={enabled} onChange={(isOn) => void turn(isOn)} />;
}
