import { useState } from 'preact/hooks';
import type { Entity, EntityButton } from '../../entities/entity-schema.ts';
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
  const items = more.map((button) => ({
    key: button.action_id,
    label: button.text,
    choose: () => {
      const href = button.url ? safeHref(button.url) : undefined;
      if (href) window.open(href, '_blank', 'noopener');
      return perform({ type: 'actOnEntity', actionId: button.action_id });
    },
  }));
  return (
    <div class="actions-block">
      {first.map((button) => (
        <PrimaryButton key={button.action_id} button={button} />
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

function PrimaryButton({ button }: { button: EntityButton }) {
  const { perform } = usePage();
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    await perform({ type: 'actOnEntity', actionId: button.action_id });
    setBusy(false);
  };
  const href = button.url ? safeHref(button.url) : undefined;
  const style = button.style ? ` button-${button.style}` : '';
  const shared = { class: `button${style}`, 'aria-label': button.accessibility_label };
  if (href) {
    return (
      <a {...shared} href={href} target="_blank" rel="noopener noreferrer" onClick={press}>
        {button.text}
        <span aria-hidden="true">↗</span>
      </a>
    );
  }
  return (
    <button type="button" {...shared} aria-busy={isBusy} onClick={press}>
      {button.text}
    </button>
  );
}
