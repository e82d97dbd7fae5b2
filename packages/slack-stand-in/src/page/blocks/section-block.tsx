import { ElementView } from '../elements/element.tsx';
import type { SectionBlock } from './block-types.ts';
import { Text } from './text.tsx';

export function SectionBlockView({ block }: { block: SectionBlock }) {
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
