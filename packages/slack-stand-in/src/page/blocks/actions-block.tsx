import { ElementView } from '../elements/element.tsx';
import type { InteractiveElement } from './block-types.ts';

export function ActionsBlock({ elements }: { elements: InteractiveElement[] }) {
  return (
    <div class="actions-block">
      {elements.map((element) => (
        <ElementView key={element.action_id} element={element} />
      ))}
    </div>
  );
}
