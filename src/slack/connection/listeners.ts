/**
 * Finds the listener of a delivery in a map. Bolt asks every listener. See
 * docs/decisions/011-deliveries-go-through-our-own-receiver-and-registry.md.
 */
import type {
  AllMiddlewareArgs,
  AnyMiddlewareArgs,
  App,
  Middleware,
  SlackViewMiddlewareArgs,
  ViewClosedAction,
} from '@slack/bolt';
import { type DeliveryAddress, type ListenerKind, readAddress } from './delivery-address.ts';

type Routes = Readonly<Record<ListenerKind, Readonly<Record<string, unknown>>>>;
type Kind = Exclude<ListenerKind, 'function'>;
type Listener = (args: AnyMiddlewareArgs & AllMiddlewareArgs) => Promise<void>;

/** Like Bolt's methods, but with one id (exact or a pattern) and one listener each. */
export type Listeners = Pick<App, Exclude<ListenerKind, 'view_closed'>> & {
  /** For views with `notify_on_close`. */
  view_closed(
    callbackId: string,
    listener: Middleware<SlackViewMiddlewareArgs<ViewClosedAction>>,
  ): void;
  /** Whether a listener is registered for this. */
  has(address: DeliveryAddress): boolean;
  /** @throws if a route has no listener, or a listener has no route */
  assertRoutes(routes: Routes): void;
  /** Calls `listen` for every delivery that has a listener, whatever it is for. */
  hear(listen: (body: object, teamId: string) => void): void;
  /** Bolt acknowledges an event before its listeners run. A crash in between would lose it. */
  beforeEventsAreAcknowledged(keep: (body: unknown) => Promise<void>): void;
};

/** Call this after all other middleware is registered. Workflow steps are passed on to Bolt, which prepares them. */
export function createListeners(app: App): Listeners {
  const exact = new Map<string, Listener>();
  const patterns: { kind: Kind; pattern: RegExp; listener: Listener }[] = [];
  const functions = new Set<string>();
  const hearing: Parameters<Listeners['hear']>[0][] = [];

  const find = ({ kind, id }: DeliveryAddress): Listener | undefined =>
    exact.get(`${kind} ${id}`) ??
    patterns.find((each) => each.kind === kind && each.pattern.test(id))?.listener;

  app.use(async (args) => {
    const address = readAddress(args.body);
    const listener = address && find(address);
    for (const listen of hearing) listen(args.body, args.context.teamId ?? '');
    await (listener ? listener(args) : args.next());
  });

  const register = (kind: Kind) => (constraint: unknown, listener: unknown) => {
    const id = idIn(constraint);
    if (typeof listener !== 'function' || id === undefined) {
      throw new TypeError(`A listener for ${kind} needs one id and one function`);
    }
    if (id instanceof RegExp) {
      patterns.push({ kind, pattern: id, listener: listener as Listener });
      return;
    }
    if (exact.has(`${kind} ${id}`)) throw new TypeError(`Two listeners for ${kind} ${id}`);
    exact.set(`${kind} ${id}`, listener as Listener);
  };
  const has = (address: DeliveryAddress) =>
    address.kind === 'function' ? functions.has(address.id) : find(address) !== undefined;

  function assertRoutes(routes: Routes): void {
    const kinds = Object.keys(routes) as ListenerKind[];
    const routed = kinds.flatMap((kind) => Object.keys(routes[kind]).map((id) => ({ kind, id })));
    const names = new Set(routed.map(({ kind, id }) => `${kind} ${id}`));
    const isRouted = ({ kind, pattern }: (typeof patterns)[number]) =>
      routed.some((each) => each.kind === kind && pattern.test(each.id));
    const wrong = [
      ...routed.filter((each) => !has(each)).map(({ kind, id }) => `${kind} ${id}`),
      ...[...exact.keys()].filter((name) => !names.has(name)),
      ...patterns
        .filter((each) => !isRouted(each))
        .map(({ kind, pattern }) => `${kind} ${pattern}`),
    ];
    if (wrong.length > 0) throw new Error(`Routes and listeners differ: ${wrong.join(', ')}`);
  }

  return {
    assertRoutes,
    has,
    action: register('action'),
    command: register('command'),
    event: register('event'),
    options: register('options'),
    shortcut: register('shortcut'),
    view: register('view'),
    view_closed: register('view_closed'),
    function(callbackId: string, ...rest: unknown[]) {
      functions.add(callbackId);
      return Reflect.apply(app.function, app, [callbackId, ...rest]);
    },
    hear(listen) {
      hearing.push(listen);
    },
    beforeEventsAreAcknowledged(keep) {
      const processEvent = app.processEvent.bind(app);
      app.processEvent = async (event) => {
        if ('event' in event.body) await keep(event.body);
        await processEvent(event);
      };
    },
  };
}

/** `id`, or `{ type, action_id }` where Bolt's types need the type. */
function idIn(constraint: unknown): string | RegExp | undefined {
  if (typeof constraint === 'string' || constraint instanceof RegExp) return constraint;
  const { action_id: id }: { action_id?: unknown } = { ...Object(constraint) };
  return typeof id === 'string' || id instanceof RegExp ? id : undefined;
}
