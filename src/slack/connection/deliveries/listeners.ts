/** Finds a delivery's listener in a map, because Bolt would ask every listener. */
import {
  type AllMiddlewareArgs,
  type AnyMiddlewareArgs,
  type App,
  type Middleware,
  type SlackEventMiddlewareArgs,
  type SlackViewMiddlewareArgs,
  UnknownError,
  type ViewClosedAction,
} from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { inSpan } from 'base/in-span';
import { markWorkspace } from '../workspace-marks.ts';
import { contextOf, deliveryIn, type Step } from './delivery.ts';
import type { DeliveryAddress, ListenerKind } from './delivery-address.ts';

type Routes = Readonly<Record<ListenerKind, Readonly<Record<string, unknown>>>>;
type Take = (body: unknown, teamId: string) => Promise<void>;
type Hear = (body: object, teamId: string) => void;
type Listener = (args: AnyMiddlewareArgs & AllMiddlewareArgs) => Promise<void>;

/** Methods that register listeners, like Bolt's. Each accepts one ID, exact or as a pattern, and one listener. */
export type Listeners = Pick<App, Exclude<ListenerKind, 'view_closed' | 'function'>> & {
  /** Registers a workflow step, which acknowledges itself. */
  function(
    callbackId: string,
    listener: Middleware<SlackEventMiddlewareArgs<'function_executed'>>,
  ): void;
  /** Registers a listener for views with `notify_on_close`. */
  view_closed(
    callbackId: string,
    listener: Middleware<SlackViewMiddlewareArgs<ViewClosedAction>>,
  ): void;
  /** Returns true if a listener is registered for this kind and id. */
  has(address: DeliveryAddress): boolean;
  /** Calls `hear` for every delivery that the app handles, except events of `takeEvents`. */
  hear(hear: Hear): void;
  /**
   * Calls `take` for events of these types, and acknowledges them when `take` has stored the work to do. Bolt would
   * acknowledge them before its listeners run, and a crash in between would lose them. These events don't reach Bolt,
   * because only a few of thousands of messages are for the app.
   */
  takeEvents(types: readonly string[], take: Take): void;
};

/** Listeners of one workspace, with functions that find and call them. */
export type ListenersToCall = Listeners & {
  find(address: DeliveryAddress): Listener | undefined;
  heard: Hear;
  takersOf(address: DeliveryAddress): readonly Take[];
  /**
   * Checks that listeners and routes match.
   * @throws if a route has no listener, or a listener has no route
   */
  assertRoutes(routes: Routes): void;
};

export const takeEvents =
  (listenersOf: (teamId: string) => Pick<ListenersToCall, 'takersOf'>): Step =>
  async (delivery, next) => {
    const { body, address, teamId, ack } = delivery;
    const takers = address ? listenersOf(teamId).takersOf(address) : [];
    if (takers.length === 0) return next(delivery);
    for (const take of takers) await take(body, teamId);
    await ack();
  };

export const hearDeliveries =
  (listenersOf: (teamId: string) => Pick<ListenersToCall, 'heard'>): Step =>
  async (delivery, next) => {
    listenersOf(delivery.teamId).heard(delivery.body, delivery.teamId);
    await next(delivery);
  };

type CallDeps = {
  listenersOf(teamId: string): Pick<ListenersToCall, 'find'>;
  clientOf(teamId: string): WebClient;
};

/**
 * Creates the step that calls the delivery's listener with arguments from Bolt. Bolt ignores events that the app itself
 * caused.
 */
export function callListeners(bolt: App, { listenersOf, clientOf }: CallDeps): Step {
  bolt.use(async (args) => {
    const { address, teamId = '' } = deliveryIn(args.context) ?? {};
    const listener = address && listenersOf(teamId).find(address);
    if (!listener) return;
    // Set the workspace, because Bolt doesn't authorize some events, and an organization's event may name no
    // workspace.
    const context = { ...args.context, teamId: args.context.teamId ?? teamId };
    const client = clientOf(teamId);
    await inSpan('delivery', { kind: address.kind, teamId }, () =>
      listener(markAnswers({ ...args, context, client }, teamId)),
    );
  });
  // Rethrow errors, because a step of the pipeline answers failures.
  bolt.error(async (error) => {
    throw error instanceof UnknownError ? error.original : error;
  });
  return async (delivery) =>
    bolt.processEvent({ ...delivery, customProperties: contextOf(delivery) });
}

type Send = (shown: unknown) => Promise<unknown>;

/** Wraps `ack` and `respond`, so that they mark the views and blocks of an answer with the workspace. */
function markAnswers<Args extends object>(args: Args, teamId: string): Args {
  const { ack, respond }: { ack?: Send; respond?: Send } = args;
  const marked = (send: Send) => (shown: unknown) => send(markWorkspace(shown, teamId));
  return {
    ...args,
    ...(ack && { ack: marked(ack) }),
    ...(respond && { respond: marked(respond) }),
  };
}

export function createListeners(): ListenersToCall {
  const exact = new Map<string, Listener>();
  const patterns: { kind: ListenerKind; pattern: RegExp; listener: Listener }[] = [];
  const hearing: Hear[] = [];
  const takers = new Map<string, Take[]>();

  const find = ({ kind, id }: DeliveryAddress): Listener | undefined =>
    exact.get(`${kind} ${id}`) ??
    patterns.find((each) => each.kind === kind && each.pattern.test(id))?.listener;
  const takersOf = ({ kind, id }: DeliveryAddress) => takers.get(`${kind} ${id}`) ?? [];
  const has = (address: DeliveryAddress) =>
    find(address) !== undefined || takersOf(address).length > 0;

  const register = (kind: ListenerKind) => (constraint: unknown, listener: unknown) => {
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

  function assertRoutes(routes: Routes): void {
    const kinds = Object.keys(routes) as ListenerKind[];
    const routed = kinds.flatMap((kind) => Object.keys(routes[kind]).map((id) => ({ kind, id })));
    const names = new Set(routed.map(({ kind, id }) => `${kind} ${id}`));
    const isRouted = ({ kind, pattern }: (typeof patterns)[number]) =>
      routed.some((each) => each.kind === kind && pattern.test(each.id));
    const wrong = [
      ...routed.filter((each) => !has(each)).map(({ kind, id }) => `${kind} ${id}`),
      ...[...exact.keys(), ...takers.keys()].filter((name) => !names.has(name)),
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
    function: register('function'),
    hear(hear) {
      hearing.push(hear);
    },
    takeEvents(types, take) {
      for (const type of types) {
        const address = { kind: 'event', id: type };
        takers.set(`event ${type}`, [...takersOf(address), take]);
      }
    },
    find,
    takersOf,
    heard(body, teamId) {
      for (const hear of hearing) hear(body, teamId);
    },
  };
}

/**
 * Returns the ID or pattern in a listener's constraint. Some constraints are `{ type, action_id }`, because Bolt's
 * types need the type.
 */
function idIn(constraint: unknown): string | RegExp | undefined {
  if (typeof constraint === 'string' || constraint instanceof RegExp) return constraint;
  const { action_id: id }: { action_id?: unknown } = { ...Object(constraint) };
  return typeof id === 'string' || id instanceof RegExp ? id : undefined;
}
