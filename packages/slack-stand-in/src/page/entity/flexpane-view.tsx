import type { Entity, EntityButton, EntityError } from '../../entities/entity-schema.ts';
import type { FlexpaneEntry } from '../../page-server/page-entry.ts';
import { PressButton } from '../elements/buttons.tsx';
import { Menu } from '../elements/menu.tsx';
import { Icon, IconButton } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { safeHref } from '../text/safe-url.ts';
import { EntityFields } from './entity-card.tsx';

/** Shows an entity's details in a pane next to the channel. The app presents the details to this person only. */
export function FlexpaneView({ flexpane }: { flexpane: FlexpaneEntry }) {
  const { perform } = usePage();
  const { details, error } = flexpane;
  const type = details?.entity_payload.attributes.display_type ?? 'Details';
  return (
    <aside class="thread-pane" aria-label={type}>
      <header class="main-header">
        <h1>{type}</h1>
        <span class="header-end">
          <IconButton
            icon="swap"
            label="Refresh"
            onClick={() => perform({ type: 'refreshEntity' })}
          />
          <IconButton
            icon="close"
            label="Close details"
            onClick={() => perform({ type: 'closeEntity' })}
          />
        </span>
      </header>
      <div class="entity-details">
        {!details && !error && (
          <p class="muted" role="status">
            Loading…
          </p>
        )}
        {error && <Problem error={error} />}
        {details && (
          <>
            <h2>{details.entity_payload.attributes.title.text}</h2>
            <EntityFields entity={details} />
            <EntityButtons actions={details.entity_payload.actions} />
          </>
        )}
      </div>
    </aside>
  );
}

/** Slack's sentences for error statuses, for errors without a message from the app. */
const sentences: Record<string, string> = {
  restricted: "You don't have access to this item.",
  not_found: "This item doesn't exist.",
};

function Problem({ error }: { error: EntityError }) {
  const { status, custom_title: title, custom_message: message } = error;
  return (
    <div role="alert">
      {title && <h2>{title}</h2>}
      <p>{message ?? sentences[status] ?? "This item can't be shown now."}</p>
      <EntityButtons actions={{ primary_actions: error.actions }} />
    </div>
  );
}

type Actions = Entity['entity_payload']['actions'];

/**
 * Shows an entity's buttons, with further buttons in a menu. A button with a link opens the link and also sends an
 * action.
 */
function EntityButtons({ actions = {} }: { actions?: Actions }) {
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
