import type { ComponentType } from "react";
import { useParams } from "react-router";
import { type FailedRead, isMissing, type NoSuchRowProps, PageNotLoaded } from "./no-such-row.tsx";

/** The page of the row whose id the path has. The key resets its state when another row is opened. */
export function OneRow({ page: Page }: { readonly page: ComponentType<{ readonly id: string }> }) {
  const { id = "" } = useParams();
  return <Page key={id} id={id} />;
}

interface LoadedRowProps<Row> extends Pick<NoSuchRowProps, "noun"> {
  useRead(id: string): FailedRead & { readonly rows: Row | undefined };
  readonly page: ComponentType<{ readonly row: Row }>;
}

/** As `OneRow`, for a page that needs its row. */
export function LoadedRow<Row>(props: LoadedRowProps<Row>) {
  const { id = "" } = useParams();
  return <Loaded key={id} id={id} {...props} />;
}

function Loaded<Row>({ id, noun, useRead, page: Page }: LoadedRowProps<Row> & { readonly id: string }) {
  const read = useRead(id);
  if (read.rows === undefined || isMissing(read)) return <PageNotLoaded noun={noun} read={read} />;
  return <Page row={read.rows} />;
}
