import type { EntityError } from '../../entities/entity-schema.ts';
import type { FlexpaneEntry } from '../../page-server/page-entry.ts';
import { IconButton } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { EntityButtons } from './entity-buttons.tsx';
import { EntityFields } from './entity-fields.tsx';

/** The pane next to the channel with the details of an entity, as the app presents them to this person. */
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

/** Slack has words of its own for the statuses without a message. */
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
