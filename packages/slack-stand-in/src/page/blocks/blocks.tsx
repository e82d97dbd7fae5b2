import { expandMarkdown } from '../../block-kit/markdown/expand-markdown.ts';
import { BlockContext } from '../state/surface-context.ts';
import { Mrkdwn } from '../text/mrkdwn.tsx';
import { RichText } from '../text/rich-text.tsx';
import { ActionsBlock } from './actions-block.tsx';
import { BlockBoundary } from './block-boundary.tsx';
import type { AnyBlock } from './block-types.ts';
import { ContextBlock } from './context-block.tsx';
import { HeaderBlock } from './header-block.tsx';
import { ImageBlock } from './image-block.tsx';
import { InputBlockView } from './input-block.tsx';
import { PlanBlock } from './plan-block.tsx';
import { SectionBlockView } from './section-block.tsx';
import { TableBlockView } from './table-block.tsx';
import { TaskCard } from './task-card.tsx';

/** Blocks of a message or view. The workspace checked their shape, so a cast is safe. */
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

/** Shows a block that the page can't draw as JSON. */
function UnknownBlock({ block }: { block: { type: string } }) {
  return (
    <details class="unknown-block">
      <summary>This page can't draw “{block.type}” blocks</summary>
      <pre class="code-block">{JSON.stringify(block, null, 2)}</pre>
    </details>
  );
}
