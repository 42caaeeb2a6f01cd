import { Square } from "lucide-react";
import { Button, type ButtonProps } from "./button.tsx";
import { useToast } from "./toast.tsx";

interface StopButtonProps extends Pick<ButtonProps, "size" | "isBusy"> {
  /** Resolves to whether the run was stopped. */
  onStop(): Promise<boolean>;
}

/** Stops a run, and says so if that fails. */
export function StopButton({ onStop, ...button }: StopButtonProps) {
  const show = useToast();
  const stop = async () => {
    if (!(await onStop())) show({ text: "The run could not be stopped.", tone: "bad" });
  };
  return (
    <Button {...button} icon={<Square className="size-3! fill-current" />} onClick={() => void stop()}>
      Stop
    </Button>
  );
}
