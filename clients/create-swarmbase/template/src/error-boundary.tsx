import { Component, type ReactNode } from "react";
import { Notice } from "./notice.tsx";

interface State {
  readonly error: Error | null;
}

/** Says what has failed. Without it, React shows an empty page. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === null ? this.props.children : <Notice text={`This page has failed: ${error.message}`} />;
  }
}
