import { useEffect } from "react";
import { useBlocker } from "react-router";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** Go on with this as the state of the navigation when what was written is saved: `navigate(to, { state: SAVED })`. */
export const SAVED = "saved";

/** Asks before what somebody has written is lost, whether they go elsewhere in the console or close the tab. */
export function LeaveGuard({ isOn }: { readonly isOn: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isOn && nextLocation.state !== SAVED && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isOn) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isOn]);
  return (
    <Dialog
      isOpen={blocker.state === "blocked"}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      size="small"
      footer={
        <>
          <Button onClick={() => blocker.proceed?.()}>Leave</Button>
          <Button variant="primary" onClick={() => blocker.reset?.()}>
            Stay here
          </Button>
        </>
      }
    >
      <p className="text-ink-soft">What you have changed on this page is not saved yet.</p>
    </Dialog>
  );
}
