import { useMemo } from "react";
import { useOperator } from "../data/operator.ts";
import { NAV_ITEMS, type NavItem, OPERATOR_ITEM } from "./nav-items.tsx";

/** The items that the user sees. */
export function useNavItems(): readonly NavItem[] {
  const isOperator = useOperator().rows?.isOperator === true;
  return useMemo(() => (isOperator ? [...NAV_ITEMS, OPERATOR_ITEM] : NAV_ITEMS), [isOperator]);
}
