import type { Entity } from '../../entities/entity-schema.ts';
import { usePage } from '../state/page-context.ts';
import { useSurface } from '../state/surface.tsx';
import { DateToken, Link, Mention } from '../text/inline.tsx';

/** Max number of fields that Slack shows in a link preview. */
const fieldsShown = 4;

/** Shows an entity as a link preview. A click on the title opens the entity's details. */
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

type Payload = Entity['entity_payload'];
type CustomField = NonNullable<Payload['custom_fields']>[number];
type StandardField = NonNullable<
  NonNullable<Payload['fields']>[keyof NonNullable<Payload['fields']>]
>;
type Field = CustomField | StandardField;

const labels: Record<string, string> = {
  description: 'Description',
  created_by: 'Created by',
  date_created: 'Created',
  date_updated: 'Updated',
  assignee: 'Assignee',
  status: 'Status',
  priority: 'Priority',
};

/**
 * Shows an entity's fields in the order that the app set. Without an order, shows all fields. Values are shown as plain
 * text.
 */
export function EntityFields({ entity, most }: { entity: Entity; most?: number }) {
  const { fields = {}, custom_fields: custom = [], display_order: order } = entity.entity_payload;
  const byKey = new Map<string, Field>([
    ...Object.entries(fields).flatMap(([key, field]): [string, Field][] =>
      field ? [[key, field]] : [],
    ),
    ...custom.map((field): [string, Field] => [field.key, field]),
  ]);
  const keys = (order ?? [...byKey.keys()]).filter((key) => byKey.has(key)).slice(0, most);
  return (
    <dl class="entity-fields">
      {keys.map((key) => {
        const field = byKey.get(key);
        return (
          field && (
            <div key={key}>
              <dt>{field.label ?? labels[key] ?? key}</dt>
              <dd>
                <Value field={field} />
              </dd>
            </div>
          )
        );
      })}
    </dl>
  );
}

function Value({ field }: { field: Field }) {
  if ('user' in field) {
    const { user } = field;
    return 'user_id' in user ? <Mention type="person" id={user.user_id} /> : user.text;
  }
  if (typeof field.value === 'number') {
    const format = '{date_short_pretty} at {time}';
    return <DateToken token={{ seconds: field.value, format, link: '', fallback: '' }} />;
  }
  const { value, link, tag_color: color } = field as Extract<Field, { value: string }>;
  if (link) return <Link url={link}>{value}</Link>;
  return <span class={color ? `entity-tag entity-tag-${color}` : 'lines'}>{value}</span>;
}
