import { useId } from 'preact/hooks';
import { ElementView } from '../elements/element.tsx';
import { BlockContext, useSurface } from '../state/surface-context.ts';
import type { InputBlock } from './block-types.ts';
import { Text } from './text.tsx';

export function InputBlockView({ block }: { block: InputBlock }) {
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
