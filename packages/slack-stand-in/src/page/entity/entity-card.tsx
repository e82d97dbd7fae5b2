import type { Entity } from '../../entities/entity-schema.ts';
import { usePage } from '../state/page-context.ts';
import { useSurface } from '../state/surface-context.ts';
import { EntityFields } from './entity-fields.tsx';

/** As many as Slack shows in a link preview. */
const fieldsShown = 4;

/** An entity in a link preview. A click opens its details. */
export function EntityCard({ entity }: { entity: Entity }) {
  const { perform } = usePage();
  const { surface } = useSurface();
  const { title, display_type: type } = entity.entity_payload.attributes;
  const open = () => {
    if (surface.kind !== 'message') return;
    const { channel, ts } = surface;
    return perform({ type: 'openEntity', channel, ts, entity: entity.external_ref.id });
  };
  return (
    <div class="entity-card">
      {type && <small class="muted">{type}</small>}
      <button type="button" class="entity-title" onClick={open}>
        {title.text}
      </button>
      <EntityFields entity={entity} most={fieldsShown} />
    </div>
  );
}
