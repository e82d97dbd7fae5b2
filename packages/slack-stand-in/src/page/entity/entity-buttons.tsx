import type { Entity, EntityButton } from '../../entities/entity-schema.ts';
import { PressButton } from '../elements/button.tsx';
import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { safeHref } from '../text/safe-url.ts';

type Actions = Entity['entity_payload']['actions'];

/** Two buttons and a menu. A button with a link opens it, and sends an action too. */
export function EntityButtons({ actions = {} }: { actions?: Actions }) {
  const { perform } = usePage();
  const { primary_actions: first = [], overflow_actions: more = [] } = actions;
  if (first.length + more.length === 0) return null;
  const act = ({ action_id: actionId }: EntityButton) => perform({ type: 'actOnEntity', actionId });
  const items = more.map((button) => ({
    key: button.action_id,
    label: button.text,
    choose: () => {
      const href = button.url ? safeHref(button.url) : undefined;
      if (href) window.open(href, '_blank', 'noopener');
      return act(button);
    },
  }));
  return (
    <div class="actions-block">
      {first.map((button) => (
        <PressButton key={button.action_id} button={button} act={() => act(button)}>
          {button.text}
        </PressButton>
      ))}
      {items.length > 0 && (
        <Menu
          label="More actions"
          trigger={<Icon name="more" />}
          items={items}
          class="button button-icon"
        />
      )}
    </div>
  );
}
