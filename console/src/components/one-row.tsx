import type { ComponentType } from "react";
import { useParams } from "react-router";

/** The page of the row whose id the path has. The key resets its state when another row is opened. */
export function OneRow({ page: Page }: { readonly page: ComponentType<{ readonly id: string }> }) {
  const { id = "" } = useParams();
  return <Page key={id} id={id} />;
}
