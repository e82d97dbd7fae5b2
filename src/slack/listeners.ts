/** Finds the listener of a delivery by what was delivered: Bolt asks every listener, which takes longer than the rest of it. */
import type { AllMiddlewareArgs, AnyMiddlewareArgs, App } from '@slack/bolt';

type Kind = 'action' | 'command' | 'event' | 'options' | 'shortcut' | 'view';
type Args = AnyMiddlewareArgs & AllMiddlewareArgs;
type Listener = (args: Args) => Promise<void>;

/** As Bolt's own methods, for one id (exact or a pattern) and one listener each. */
export type Listeners = Pick<App, Kind> & {
  /** Bolt acknowledges an event before its listeners run; a crash between the two would lose it. */
  beforeEventsAreAcknowledged(keep: (body: unknown) => Promise<void>): void;
};

/** Made after all other middleware of the app: what it knows no listener for goes on to Bolt. */
export function createListeners(app: App): Listeners {
  const exact = new Map<string, Listener>();
  const patterns: { kind: Kind; pattern: RegExp; listener: Listener }[] = [];

  app.use(async (args) => {
    const { kind, id } = addressOf(args) ?? {};
    const byPattern = () =>
      patterns.find((each) => each.kind === kind && id !== undefined && each.pattern.test(id));
    const listener = exact.get(`${kind} ${id}`) ?? byPattern()?.listener;
    await (listener ? listener(args) : args.next());
  });

  const register = (kind: Kind) => (constraint: unknown, listener: unknown) => {
    const id = idIn(constraint);
    if (typeof listener !== 'function' || id === undefined) {
      throw new TypeError(`a listener for ${kind} needs one id and one function`);
    }
    if (id instanceof RegExp) {
      patterns.push({ kind, pattern: id, listener: listener as Listener });
      return;
    }
    if (exact.has(`${kind} ${id}`)) throw new TypeError(`two listeners for ${kind} ${id}`);
    exact.set(`${kind} ${id}`, listener as Listener);
  };
  return {
    action: register('action'),
    command: register('command'),
    event: register('event'),
    options: register('options'),
    shortcut: register('shortcut'),
    view: register('view'),
    beforeEventsAreAcknowledged(keep) {
      const processEvent = app.processEvent.bind(app);
      app.processEvent = async (event) => {
        if ('event' in event.body) await keep(event.body);
        await processEvent(event);
      };
    },
  };
}

/** `id`, or `{ type, action_id }` where Bolt's types want to be told the type. */
function idIn(constraint: unknown): string | RegExp | undefined {
  if (typeof constraint === 'string' || constraint instanceof RegExp) return constraint;
  const { action_id: id }: { action_id?: unknown } = { ...Object(constraint) };
  return typeof id === 'string' || id instanceof RegExp ? id : undefined;
}

/** Undefined for what no listener of ours can be for. */
function addressOf(args: Args): { kind: Kind; id: string } | undefined {
  if ('event' in args) return { kind: 'event', id: args.event.type };
  if ('command' in args) return { kind: 'command', id: args.command.command };
  const { body } = args;
  switch (body.type) {
    case 'block_actions': {
      const [action] = body.actions;
      return action && { kind: 'action', id: action.action_id };
    }
    case 'block_suggestion':
      return { kind: 'options', id: body.action_id };
    case 'shortcut':
    case 'message_action':
      return { kind: 'shortcut', id: body.callback_id };
    case 'view_submission':
      return { kind: 'view', id: body.view.callback_id };
    default:
      return undefined;
  }
}
