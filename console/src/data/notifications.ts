import { createStore, useStore } from "./store.ts";

/** `blocked`: only the settings of the browser can change it. */
type NotificationState = "unsupported" | "blocked" | "off" | "on";

/** Of this browser, like the permission that the browser has stored. */
const STORAGE_KEY = "swarmbase.notifications";
/** Long enough that the last of several tabs has heard of the same approval. */
const CLAIM_MS = 60_000;

const state = createStore<NotificationState>(readState());

export function useNotificationState(): NotificationState {
  return useStore(state);
}

/** Call it only after a click: browsers reject, and users dislike, a question that they have not asked for. */
export async function turnNotificationsOn(): Promise<void> {
  if ((await Notification.requestPermission()) === "granted") localStorage.setItem(STORAGE_KEY, "on");
  state.set(readState());
}

export function turnNotificationsOff(): void {
  localStorage.removeItem(STORAGE_KEY);
  state.set(readState());
}

interface Notice {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  onOpen(): void;
}

/** Shows a notification of the system unless the user sees the page. Of several tabs with the same notice, one shows it. */
export async function notify({ id, title, text, onOpen }: Notice): Promise<void> {
  if (readState() !== "on" || !document.hidden) return;
  await navigator.locks.request(`swarmbase.notice.${id}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    const shown = new Notification(title, { body: text, tag: id, icon: "/console/mark.svg" });
    shown.addEventListener("click", () => {
      shown.close();
      window.focus();
      onOpen();
    });
    await new Promise((resolve) => setTimeout(resolve, CLAIM_MS));
  });
}

function readState(): NotificationState {
  if (!("Notification" in window)) return "unsupported";
  if (Notification.permission === "denied") return "blocked";
  return Notification.permission === "granted" && localStorage.getItem(STORAGE_KEY) === "on" ? "on" : "off";
}
