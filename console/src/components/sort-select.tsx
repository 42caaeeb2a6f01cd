import { Select } from "./select.tsx";

const LABELS = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
  changed: "Last changed first",
} as const;

export interface SortSelectProps<Order extends keyof typeof LABELS> {
  readonly value: Order;
  /** The first is the default, which is not in the address. */
  readonly orders: readonly Order[];
  onChange(order: Order | ""): void;
}

export function SortSelect<Order extends keyof typeof LABELS>({ value, orders, onChange }: SortSelectProps<Order>) {
  return (
    <Select<Order>
      aria-label="Order"
      className="min-w-34 flex-1 sm:w-40 sm:flex-none"
      value={value}
      choices={orders.map((order) => ({ value: order, label: LABELS[order] }))}
      onChange={(order) => onChange(order === orders[0] ? "" : order)}
    />
  );
}
