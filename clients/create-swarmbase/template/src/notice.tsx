import { Component, type ReactNode } from "react";

/** A page with one sentence. One that says what has failed offers to load the page again. */
export function Notice({ text }: { readonly text: string }) {
  return (
    <main className="notice">
      <p>{text}</p>
      {text.endsWith("…") || <button onClick={() => location.reload()}>Try again</button>}
    </main>
  );
}

/** Says what has failed. Without it, React shows an empty page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <Notice text={`This page has failed: ${error.message}`} />;
  }
}
