import {
  Activity,
  Bot,
  BotMessageSquare,
  CalendarClock,
  ChartColumn,
  ChartGantt,
  Code,
  Columns2,
  House,
  ListChecks,
  type LucideIcon,
  MessagesSquare,
  RadioReceiver,
  Server,
  ShieldCheck,
  ShieldQuestion,
  User,
  Webhook,
  Wrench,
} from "lucide-react";

export interface NavItem {
  readonly to: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** The key that follows "g". */
  readonly key: string;
  /** Shown in the bottom bar of a narrow screen; the other items are under "More". */
  readonly isMain: boolean;
}

export const NAV_ITEMS: readonly NavItem[] = [
  { to: "/", label: "Home", Icon: House, key: "h", isMain: true },
  { to: "/agents", label: "Agents", Icon: Bot, key: "a", isMain: true },
  { to: "/for-you", label: "Agents for you", Icon: BotMessageSquare, key: "y", isMain: false },
  { to: "/playground", label: "Playground", Icon: Columns2, key: "l", isMain: false },
  { to: "/swarms", label: "Swarms", Icon: MessagesSquare, key: "s", isMain: true },
  { to: "/approvals", label: "Approvals", Icon: ShieldQuestion, key: "i", isMain: false },
  { to: "/runs", label: "Runs", Icon: ChartGantt, key: "r", isMain: false },
  { to: "/schedules", label: "Schedules", Icon: CalendarClock, key: "m", isMain: false },
  { to: "/triggers", label: "Triggers", Icon: RadioReceiver, key: "x", isMain: false },
  { to: "/tools", label: "Tools", Icon: Wrench, key: "t", isMain: false },
  { to: "/guardrails", label: "Guardrails", Icon: ShieldCheck, key: "d", isMain: false },
  { to: "/webhooks", label: "Webhooks", Icon: Webhook, key: "w", isMain: true },
  { to: "/events", label: "Events", Icon: Activity, key: "e", isMain: false },
  { to: "/evals", label: "Evals", Icon: ListChecks, key: "v", isMain: false },
  { to: "/usage", label: "Usage", Icon: ChartColumn, key: "u", isMain: false },
  { to: "/api", label: "API", Icon: Code, key: "p", isMain: false },
  { to: "/account", label: "Account", Icon: User, key: "c", isMain: false },
];

/** Only operators see it. */
export const OPERATOR_ITEM: NavItem = { to: "/operator", label: "Operator", Icon: Server, key: "o", isMain: false };
