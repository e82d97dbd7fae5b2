import { Component, type ComponentChildren } from 'preact';

type BoundaryProps = { block: unknown; children: ComponentChildren };
type BoundaryState = { problem?: string };

/** Shows a broken block as an error, so that the rest of the page works. */
export class BlockBoundary extends Component<BoundaryProps, BoundaryState> {
  override componentDidCatch(error: unknown) {
    this.setState({ problem: error instanceof Error ? error.message : String(error) });
  }

  override render() {
    if (this.state.problem === undefined) return this.props.children;
    return (
      <details class="unknown-block">
        <summary>This block can't be shown: {this.state.problem}</summary>
        <pre class="code-block">{JSON.stringify(this.props.block, null, 2)}</pre>
      </details>
    );
  }
}
