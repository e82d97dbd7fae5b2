/**
 * Finds a delivery's address, which is the kind and ID of its listener. A signed body that isn't a delivery has no
 * address.
 */

/** Kinds that listeners can be registered for. */
export type ListenerKind =
  | 'action'
  | 'command'
  | 'event'
  | 'function'
  | 'options'
  | 'shortcut'
  | 'view'
  | 'view_closed';

/** Kind and id of a delivery. Kinds without listeners are Slack's `type`, such as `app_rate_limited`. */
export type DeliveryAddress = { kind: ListenerKind | (string & {}); id: string };

export type Fields = Partial<Record<string, unknown>>;

/**
 * Reads the kind and id of a delivery. Returns undefined for bodies that Slack doesn't send. Doesn't use zod, because
 * parsing would take longer than handling the rest of a delivery.
 */
export function readAddress(body: unknown): DeliveryAddress | undefined {
  if (!isRecord(body)) return undefined;
  const { type, event, command } = body;
  if ('event' in body) return addressOfEvent(event);
  if (typeof command === 'string') return { kind: 'command', id: command };
  if (typeof type !== 'string') return undefined;
  switch (type) {
    case 'block_actions': {
      const [action] = Array.isArray(body['actions']) ? body['actions'] : [];
      return isRecord(action)
        ? { kind: 'action', id: textOf(action['action_id']) ?? '' }
        : undefined;
    }
    case 'block_suggestion':
      return { kind: 'options', id: textOf(body['action_id']) ?? '' };
    case 'shortcut':
    case 'message_action':
      return { kind: 'shortcut', id: textOf(body['callback_id']) ?? '' };
    case 'view_submission':
    case 'view_closed': {
      const { view } = body;
      const kind = type === 'view_closed' ? type : 'view';
      return isRecord(view) ? { kind, id: textOf(view['callback_id']) ?? '' } : undefined;
    }
    default:
      return { kind: type, id: textOf(body['callback_id']) ?? '' };
  }
}

function addressOfEvent(event: unknown): DeliveryAddress | undefined {
  if (!isRecord(event) || typeof event['type'] !== 'string') return undefined;
  if (event['type'] !== 'function_executed') return { kind: 'event', id: event['type'] };
  const { function: step } = event;
  return { kind: 'function', id: textOf(fieldsOf(step)['callback_id']) ?? '' };
}

/** Returns true if a delivery has the fields that Bolt and all listeners of its kind rely on. */
export function isComplete(body: Fields, { kind }: DeliveryAddress): boolean {
  switch (kind) {
    case 'command':
      return ['team_id', 'user_id', 'channel_id', 'trigger_id'].every((field) =>
        isText(body[field]),
      );
    case 'event':
    case 'function':
      return isCompleteEvent(body);
    case 'view':
      return hasPerson(body) && isCompleteView(body['view']);
    case 'view_closed':
      return hasPerson(body) && isView(body['view']);
    case 'shortcut':
    case 'action':
      return hasPerson(body) && isText(body['trigger_id']);
    case 'options':
      return hasPerson(body) && typeof body['value'] === 'string';
    default:
      return hasPerson(body);
  }
}

/** Paths of the text fields that event listeners need, by event type. */
const neededTexts: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: ['user', 'channel'],
  channel_deleted: ['channel'],
  channel_left: ['channel'],
  channel_rename: ['channel.id'],
  group_deleted: ['channel'],
  group_left: ['channel'],
  group_rename: ['channel.id'],
  link_shared: ['user', 'channel'],
  member_joined_channel: ['user', 'channel'],
  member_left_channel: ['user', 'channel'],
};

const hasText = (event: Fields, path: string): boolean =>
  isText(path.split('.').reduce<unknown>((at, name) => fieldsOf(at)[name], event));

/** Checks the fields that Bolt reads in every event. */
function isCompleteEvent({ event, authorizations }: Fields): boolean {
  if (!isRecord(event)) return false;
  const needed = neededTexts[textOf(event['type']) ?? ''] ?? [];
  if (!needed.every((path) => hasText(event, path))) return false;
  const objects = [event['item'], event['subteam'], asList(authorizations)[0]];
  return (
    objects.every((each) => each === undefined || isRecord(each)) &&
    event['user'] !== null &&
    event['channel'] !== null &&
    (event['type'] !== 'function_executed' || isText(event['function_execution_id']))
  );
}

const isView = (view: unknown): view is Fields =>
  isRecord(view) && isText(view['id']) && typeof view['private_metadata'] === 'string';

const isCompleteView = (view: unknown): boolean =>
  isView(view) && isRecord(view['state']) && isRecord(view['state']['values']);

const hasPerson = ({ user, team }: Fields): boolean =>
  isRecord(user) && isText(user['id']) && (team === undefined || team === null || isRecord(team));

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): boolean => textOf(value) !== undefined;

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
/** Returns the value if it's a text that isn't empty, or else undefined. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Returns the kind of a delivery for the log. Payloads aren't logged, because they contain prompts. */
export function deliveryKind(body: unknown): string | undefined {
  const { command, event, type } = fieldsOf(body);
  return textOf(command) ?? textOf(fieldsOf(event)['type']) ?? textOf(type);
}
