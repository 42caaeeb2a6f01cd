import { turnNotificationsOff, turnNotificationsOn, useNotificationState } from "../../data/notifications.ts";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";

const STATES = {
  unsupported: "This browser has no notifications.",
  blocked:
    "This browser blocks notifications of this site. Allow them in its settings for this site, then reload the page.",
  off: "Off. Your browser asks for your permission when you turn them on.",
  on: "On. A notification appears when the console is open in a tab that you do not look at.",
} as const;

export function NotificationsCard() {
  const state = useNotificationState();
  return (
    <CardSection
      title="Notifications"
      description="For this browser: a notification when a tool call of one of your agents waits for your decision."
    >
      <div className="grid justify-items-start gap-4">
        <p className="text-ink-soft">{STATES[state]}</p>
        {state === "off" && <Button onClick={() => void turnNotificationsOn()}>Turn on notifications</Button>}
        {state === "on" && <Button onClick={turnNotificationsOff}>Turn off notifications</Button>}
      </div>
    </CardSection>
  );
}
