import {
  AppWindow,
  ChartLine,
  History,
  HeartPulse,
  type LucideIcon,
  Network,
  ScrollText,
  Server,
  Settings,
  Table2,
  UserCog,
} from "lucide-react";
import { useNavigate } from "react-router";
import { SEARCHED_PAGES } from "../data/search-apart.ts";
import { Switch } from "../components/switch.tsx";
import { SideLink } from "./side-links.tsx";

const SECTIONS = SEARCHED_PAGES.filter(({ to }) => to.startsWith("/operator"));
const ICONS: Readonly<Record<string, LucideIcon>> = {
  "/operator/users": UserCog,
  "/operator/tables": Table2,
  "/operator/logs": ScrollText,
  "/operator/metrics": ChartLine,
  "/operator/nodes": Network,
  "/operator/services": HeartPulse,
  "/operator/programs": AppWindow,
  "/operator/audit": History,
};

interface OperatorMenuProps {
  readonly path: string;
  readonly onGo: (() => void) | undefined;
}

/** The pages of the operator's view. Its files are loaded for operators only. */
export function OperatorMenu({ path, onGo }: OperatorMenuProps) {
  return SECTIONS.map(({ to, title: label }) => (
    <SideLink key={to} item={{ to, label, Icon: ICONS[to] ?? Settings }} isCurrent={path.startsWith(to)} onGo={onGo} />
  ));
}

/** Exchanges the whole menu. */
export function OperatorSwitch({ isOn }: { readonly isOn: boolean }) {
  const navigate = useNavigate();
  return (
    <label className="flex h-9 items-center gap-2.5 px-2.5 text-base font-medium text-ink-soft">
      <Server className="size-4.5" aria-hidden />
      <span className="flex-1">Operator</span>
      <Switch isOn={isOn} onChange={() => void navigate(isOn ? "/" : "/operator")} />
    </label>
  );
}
