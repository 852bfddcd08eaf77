// What the page shows in place of a view that failed. The session, the replica and its queue go on.
import { Component, type ReactNode } from 'react';
import { messages } from './messages/messages.ts';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: Error | null;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: Error): ErrorBoundaryState {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    const { broken: texts } = messages;
    if (error === null) return this.props.children;
    // The address may be the cause, such as a filter in it.
    const retry = (path: string) => {
      history.replaceState(null, '', path);
      this.setState({ error: null });
    };
    return (
      <main className="page-alone">
        <p className="brand">{messages.brand}</p>
        <h1>{texts.title}</h1>
        <p role="alert">{texts.lead(error.message)}</p>
        <p className="links">
          <button type="button" onClick={() => retry(location.pathname + location.search)}>
            {texts.again}
          </button>
          <button type="button" onClick={() => retry('/ready')}>
            {texts.ready}
          </button>
        </p>
      </main>
    );
  }
}
