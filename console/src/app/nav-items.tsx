import {
  Activity,
  Bot,
  BotMessageSquare,
  CalendarClock,
  ChartColumn,
  ChartGantt,
  Code,
  Columns2,
  Gauge,
  House,
  KeySquare,
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
  /** The heading that it is below. */
  readonly group?: string;
  /** Shown in the bottom bar of a narrow screen; the other items are under "More". */
  readonly isMain?: true;
}

export const NAV_ITEMS: readonly NavItem[] = [
  { to: "/", label: "Home", Icon: House, key: "h", isMain: true },
  { to: "/agents", label: "Agents", Icon: Bot, key: "a", group: "Build", isMain: true },
  { to: "/for-you", label: "Agents for you", Icon: BotMessageSquare, key: "y", group: "Build" },
  { to: "/playground", label: "Playground", Icon: Columns2, key: "l", group: "Build" },
  { to: "/swarms", label: "Swarms", Icon: MessagesSquare, key: "s", group: "Build", isMain: true },
  { to: "/tools", label: "Tools", Icon: Wrench, key: "t", group: "Build" },
  { to: "/guardrails", label: "Guardrails", Icon: ShieldCheck, key: "d", group: "Build" },
  { to: "/evals", label: "Evals", Icon: ListChecks, key: "v", group: "Build" },
  { to: "/runs", label: "Runs", Icon: ChartGantt, key: "r", group: "Observe" },
  { to: "/approvals", label: "Approvals", Icon: ShieldQuestion, key: "i", group: "Observe" },
  { to: "/events", label: "Events", Icon: Activity, key: "e", group: "Observe" },
  { to: "/usage", label: "Usage", Icon: ChartColumn, key: "u", group: "Observe" },
  { to: "/webhooks", label: "Webhooks", Icon: Webhook, key: "w", group: "Connect", isMain: true },
  { to: "/triggers", label: "Triggers", Icon: RadioReceiver, key: "x", group: "Connect" },
  { to: "/schedules", label: "Schedules", Icon: CalendarClock, key: "m", group: "Connect" },
  { to: "/api", label: "API", Icon: Code, key: "p", group: "Connect" },
  { to: "/account", label: "Account", Icon: User, key: "c", group: "Account" },
  { to: "/account/keys", label: "API keys", Icon: KeySquare, key: "k", group: "Account" },
  { to: "/account/budgets", label: "Budgets", Icon: Gauge, key: "b", group: "Account" },
];

/** Only operators see it. */
export const OPERATOR_ITEM: NavItem = { to: "/operator", label: "Operator", Icon: Server, key: "o" };

/** The item of a page: a page below several items belongs to the last of them. */
export function findNavItem(path: string): NavItem | undefined {
  return NAV_ITEMS.findLast(({ to }) => path === to || path.startsWith(`${to}/`));
}
