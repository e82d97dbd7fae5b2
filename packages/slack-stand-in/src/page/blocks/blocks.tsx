import { Component, type ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { expandMarkdown } from '../../block-kit/markdown/expand-markdown.ts';
import { ElementView } from '../elements/element.tsx';
import { BlockContext, useSurface } from '../state/surface.tsx';
import { Mrkdwn } from '../text/mrkdwn.tsx';
import { RichText } from '../text/rich-text.tsx';
import type {
  AnyBlock,
  ImageBlock as ImageBlockData,
  ImageElement,
  InputBlock,
  InteractiveElement,
  SectionBlock,
  TableBlock,
  TextObject,
} from './block-types.ts';
import { Picture, Text } from './objects.tsx';
import { PlanBlock, TaskCard } from './plan-block.tsx';

/** Shows the blocks of a message or view. The workspace checked their shape, so a cast is safe. */
export function Blocks({ blocks }: { blocks: unknown[] }) {
  return (
    <div class="blocks">
      {(blocks as AnyBlock[]).map((block, index) => (
        <BlockBoundary key={block.block_id ?? index} block={block}>
          <BlockContext.Provider value={{ blockId: block.block_id ?? '', role: 'action' }}>
            <BlockView block={block} />
          </BlockContext.Provider>
        </BlockBoundary>
      ))}
    </div>
  );
}

function BlockView({ block }: { block: AnyBlock }) {
  switch (block.type) {
    case 'section':
      return <SectionBlockView block={block} />;
    case 'header':
      return <HeaderBlock text={block.text} />;
    case 'divider':
      return <hr />;
    case 'context':
      return <ContextBlock elements={block.elements} />;
    case 'actions':
      return <ActionsBlock elements={block.elements} />;
    case 'context_actions':
      return (
        <div class="context-actions">
          <ActionsBlock elements={block.elements} />
        </div>
      );
    case 'plan':
      return <PlanBlock title={block.title} tasks={block.tasks ?? []} />;
    case 'task_card':
      return <TaskCard task={block} />;
    case 'image':
      return <ImageBlock image={block} />;
    case 'input':
      return <InputBlockView block={block} />;
    case 'rich_text':
      return <RichText elements={block.elements} />;
    case 'markdown':
      return <Blocks blocks={expandMarkdown(block.text)} />;
    case 'table':
      return <TableBlockView block={block} />;
    case 'alert':
      return (
        <div class={`alert alert-${block.level === 'error' ? 'error' : 'info'}`} role="note">
          <Mrkdwn text={block.text.text} />
        </div>
      );
    default:
      return <UnknownBlock block={block} />;
  }
}

/** Shows a block as JSON if the page can't draw it. */
function UnknownBlock({ block }: { block: { type: string } }) {
  return (
    <details class="unknown-block">
      <summary>This page can't draw “{block.type}” blocks</summary>
      <pre class="code-block">{JSON.stringify(block, null, 2)}</pre>
    </details>
  );
}

type BoundaryProps = { block: unknown; children: ComponentChildren };
type BoundaryState = { problem?: string };

/** Shows a broken block as an error, so that the rest of the page works. */
class BlockBoundary extends Component<BoundaryProps, BoundaryState> {
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

function ActionsBlock({ elements }: { elements: InteractiveElement[] }) {
  return (
    <div class="actions-block">
      {elements.map((element) => (
        <ElementView key={element.action_id} element={element} />
      ))}
    </div>
  );
}

function ContextBlock({ elements }: { elements: (TextObject | ImageElement)[] }) {
  return (
    <div class="context-block">
      {elements.map((element, index) =>
        element.type === 'image' ? (
          <Picture key={index} image={element} size="small" />
        ) : (
          <span key={index}>
            <Text text={element} />
          </span>
        ),
      )}
    </div>
  );
}

function HeaderBlock({ text }: { text: TextObject }) {
  return (
    <h3 class="header-block">
      <Text text={text} />
    </h3>
  );
}

function ImageBlock({ image }: { image: ImageBlockData }) {
  return (
    <figure class="image-block">
      {image.title && (
        <figcaption>
          <Text text={image.title} />
        </figcaption>
      )}
      <Picture image={image} size="large" />
    </figure>
  );
}

function InputBlockView({ block }: { block: InputBlock }) {
  const { fieldErrors } = useSurface();
  const labelId = useId();
  const blockId = block.block_id ?? '';
  const error = Object.hasOwn(fieldErrors, blockId) ? fieldErrors[blockId] : undefined;
  const role = block.dispatch_action ? 'dispatching' : 'input';
  const errorId = `${labelId}-error`;
  return (
    <div class={`input-block${error ? ' has-error' : ''}`} data-block={blockId}>
      <div class="input-label" id={labelId}>
        <Text text={block.label} />
        {block.optional && <span class="muted"> (optional)</span>}
      </div>
      <BlockContext.Provider value={{ blockId, role, labelId, ...(error && { errorId }) }}>
        <ElementView element={block.element} />
      </BlockContext.Provider>
      {error && (
        <div class="field-error" id={errorId} role="alert">
          {error}
        </div>
      )}
      {block.hint && (
        <div class="input-hint">
          <Text text={block.hint} />
        </div>
      )}
    </div>
  );
}

function SectionBlockView({ block }: { block: SectionBlock }) {
  return (
    <div class="section-block">
      <div class="section-text">
        {block.text && (
          <div>
            <Text text={block.text} />
          </div>
        )}
        {block.fields && (
          <div class="section-fields">
            {block.fields.map((field, index) => (
              <div key={index}>
                <Text text={field} />
              </div>
            ))}
          </div>
        )}
      </div>
      {block.accessory && (
        <div class="section-accessory">
          <ElementView element={block.accessory} />
        </div>
      )}
    </div>
  );
}

function TableBlockView({ block }: { block: TableBlock }) {
  return (
    <div class="table-block">
      <table>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => {
                const align = block.column_settings?.[column]?.align ?? 'left';
                const content =
                  cell.type === 'rich_text' ? <RichText elements={cell.elements} /> : cell.text;
                const Cell = index === 0 ? 'th' : 'td';
                return (
                  <Cell key={column} class={`align-${align}`}>
                    {content}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
