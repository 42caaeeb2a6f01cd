import { useNavigate, useParams } from "react-router";
import { type Tab, Tabs } from "./tabs.tsx";

interface PathTabsProps {
  readonly label: string;
  /** The path of the first tab; those of the others are below it. */
  readonly path: string;
  readonly tabs: readonly Tab[];
  readonly keepsScroll?: boolean;
}

/** Tabs with a path each, for a route that ends with `:tab?`. */
export function PathTabs({ label, path, tabs, keepsScroll = false }: PathTabsProps) {
  const { tab } = useParams();
  const navigate = useNavigate();
  const first = tabs[0]?.value ?? "";
  const pathOf = (value: string) => (value === first ? path : `${path}/${value}`);
  return (
    <Tabs
      label={label}
      value={tabs.find(({ value }) => value === tab)?.value ?? first}
      tabs={tabs}
      pathOf={pathOf}
      onChange={(next) => void navigate(pathOf(next), { preventScrollReset: keepsScroll })}
    />
  );
}
