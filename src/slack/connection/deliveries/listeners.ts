/**
 * Finds the listener of a delivery in a map. Bolt asks every listener. See
 * docs/decisions/008-deliveries-go-through-our-own-receiver-and-registry.md.
 */
import type {
  AllMiddlewareArgs,
  AnyMiddlewareArgs,
  App,
  Middleware,
  SlackEventMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewClosedAction,
} from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { inSpan } from 'base/in-span';
import { markWorkspace } from '../workspace-marks.ts';
import { type DeliveryAddress, type ListenerKind, readAddress } from './delivery-address.ts';
import { becamePrivate } from './private-conversation.ts';

type Routes = Readonly<Record<ListenerKind, Readonly<Record<string, unknown>>>>;
type Kind = Exclude<ListenerKind, 'function'>;
type Take = (body: unknown) => Promise<void>;
type Step = Middleware<SlackEventMiddlewareArgs<'function_executed'>>;
type Listener = (args: AnyMiddlewareArgs & AllMiddlewareArgs) => Promise<void>;

/** Like Bolt's methods, but with one id (exact or a pattern) and one listener each. */
export type Listeners = Pick<App, Exclude<ListenerKind, 'view_closed' | 'function'>> & {
  /** For a workflow step. It acknowledges itself. */
  function(callbackId: string, listener: Step): void;
  /** For views with `notify_on_close`. */
  view_closed(
    callbackId: string,
    listener: Middleware<SlackViewMiddlewareArgs<ViewClosedAction>>,
  ): void;
  /** Whether a listener is registered for this. */
  has(address: DeliveryAddress): boolean;
  /** Calls `listen` for every delivery that has a listener, whatever it is for. */
  hear(listen: (body: object, teamId: string) => void): void;
  /**
   * Events of these types are acknowledged when `take` has stored what is to be done; Bolt would acknowledge them before its
   * listeners run, and a crash in between would lose them. They don't reach Bolt: of thousands of messages, few are for the
   * app.
   */
  takeEvents(types: readonly string[], take: Take): void;
};

/** The listeners of one workspace, to call. */
export type ListenersToCall = Listeners & {
  find(address: DeliveryAddress): Listener | undefined;
  findStep(callbackId: string): Step | undefined;
  heard(body: object, teamId: string): void;
  taker(type: string): Take | undefined;
  /** @throws if a route has no listener, or a listener has no route */
  assertRoutes(routes: Routes): void;
};

type CallParts = {
  /** The listeners of a workspace. */
  of(teamId: string): Pick<ListenersToCall, 'find' | 'findStep' | 'heard' | 'taker'>;
  /** The workspace that a delivery is for. */
  teamIdOf(body: object): Promise<string>;
  clientOf(teamId: string): WebClient;
  /** All workflow steps. Bolt prepares their arguments. */
  steps: readonly string[];
};

/** Call this after all other middleware is registered. */
export function callListeners(app: App, { of, teamIdOf, clientOf, steps }: CallParts): void {
  app.use(async (args) => {
    // Bolt doesn't authorize some events, and the team of an organization's event can be null.
    const teamId = args.context.teamId ?? (await teamIdOf(args.body));
    const listeners = of(teamId);
    const address = readAddress(args.body);
    const listener = address && listeners.find(address);
    listeners.heard(args.body, teamId);
    const context = { ...args.context, teamId };
    const kind = address?.kind ?? 'other';
    await inSpan('delivery', { kind, teamId }, async () =>
      listener
        ? listener(markAnswers({ ...args, context, client: clientOf(teamId) }, teamId))
        : args.next(),
    );
  });
  for (const id of steps)
    app.function(id, { autoAcknowledge: false }, async (args) => {
      await of(args.context.teamId ?? '').findStep(id)?.(args);
    });
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    const { body } = event;
    const { kind, id = '' } = readAddress(body) ?? {};
    const take = kind === 'event' ? of(await teamIdOf(body)).taker(id) : undefined;
    await take?.(body);
    // What else hears deliveries wants to know this.
    if (!take || body['event'].subtype === becamePrivate) return processEvent(event);
    await event.ack();
  };
}

type Send = (shown: unknown) => Promise<unknown>;

/** Marks what a listener shows without the client: a view or blocks in its acknowledgement, or by a `response_url`. */
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
  const patterns: { kind: Kind; pattern: RegExp; listener: Listener }[] = [];
  const steps = new Map<string, Step>();
  const hearing: Parameters<Listeners['hear']>[0][] = [];
  const takers = new Map<string, Take>();

  const find = ({ kind, id }: DeliveryAddress): Listener | undefined =>
    exact.get(`${kind} ${id}`) ??
    patterns.find((each) => each.kind === kind && each.pattern.test(id))?.listener;

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
    address.kind === 'function' ? steps.has(address.id) : find(address) !== undefined;

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
    function(callbackId, listener) {
      steps.set(callbackId, listener);
    },
    hear(listen) {
      hearing.push(listen);
    },
    takeEvents(types, take) {
      for (const type of types) takers.set(type, take);
    },
    find,
    findStep: (callbackId) => steps.get(callbackId),
    heard(body, teamId) {
      for (const listen of hearing) listen(body, teamId);
    },
    taker: (type) => takers.get(type),
  };
}

/** `id`, or `{ type, action_id }` where Bolt's types need the type. */
function idIn(constraint: unknown): string | RegExp | undefined {
  if (typeof constraint === 'string' || constraint instanceof RegExp) return constraint;
  const { action_id: id }: { action_id?: unknown } = { ...Object(constraint) };
  return typeof id === 'string' || id instanceof RegExp ? id : undefined;
}
