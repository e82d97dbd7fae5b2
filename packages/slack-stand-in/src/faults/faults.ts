import { z } from 'zod';

const times = z.number().int().min(1).max(100_000).default(1);
/** Call that the fault affects: a Web API method, `response_url`, or `*` for any call. */
const method = z.string().default('*');
const callFault = { method, times };

/** Schema of all faults. `times` is the number of calls or deliveries that a fault affects. */
export const faultSchema = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('answer_lost'), ...callFault }),
  z.strictObject({
    name: z.literal('answer_delayed'),
    ...callFault,
    delayMs: z.number().int().min(1).max(60_000).default(1000),
  }),
  z.strictObject({
    name: z.literal('rate_limited'),
    ...callFault,
    retryAfterSeconds: z.number().int().min(0).max(300).default(1),
  }),
  z.strictObject({
    name: z.literal('server_error'),
    ...callFault,
    status: z.number().int().min(500).max(599).default(503),
  }),
  z.strictObject({ name: z.literal('html_answer'), ...callFault }),
  z.strictObject({ name: z.literal('connection_cut'), ...callFault }),
  z.strictObject({ name: z.literal('error_answer'), ...callFault, error: z.string() }),
  z.strictObject({
    name: z.literal('delivered_twice'),
    kind: z.enum(['*', 'slash_commands', 'interactive', 'events_api']).default('*'),
    times,
  }),
  z.strictObject({
    name: z.literal('disconnect'),
    reason: z.enum(['warning', 'refresh_requested', 'link_disabled']).default('refresh_requested'),
    graceMs: z.number().int().min(0).max(60_000).default(10_000),
  }),
  z.strictObject({ name: z.literal('sockets_cut') }),
  z.strictObject({ name: z.literal('app_removed_from_channel'), channel: z.string() }),
  z.strictObject({ name: z.literal('channel_archived'), channel: z.string() }),
  z.strictObject({ name: z.literal('message_deleted'), channel: z.string(), ts: z.string() }),
  z.strictObject({ name: z.literal('edit_window_closed'), channel: z.string(), ts: z.string() }),
  z.strictObject({ name: z.literal('token_revoked'), teamId: z.string().optional() }),
  z.strictObject({ name: z.literal('token_expired'), teamId: z.string().optional() }),
  z.strictObject({ name: z.literal('app_uninstalled'), teamId: z.string().optional() }),
  z.strictObject({
    name: z.literal('partial_scopes'),
    /** Scopes that the token keeps; all scopes of the manifest by default. */
    granted: z.array(z.string()).optional(),
    teamId: z.string().optional(),
  }),
  z.strictObject({ name: z.literal('app_rate_limited'), teamId: z.string().optional() }),
]);

export type Fault = z.infer<typeof faultSchema>;
export type FaultName = Fault['name'];
export type CallFault = Extract<Fault, { method: string }>;
export type WorldFault = Exclude<Fault, { times: number }>;

/** Descriptions of all faults, which `GET /control/faults` returns. */
const faultList: Record<FaultName, string> = {
  answer_lost: 'the call takes effect, then the connection ends without a response',
  answer_delayed: 'the call takes effect, but its response is late',
  rate_limited: '429 with Retry-After, no effect',
  server_error: 'a 5xx response, no effect',
  html_answer: 'an HTML page with status 200 instead of JSON, no effect',
  connection_cut: 'the connection ends before the call takes effect',
  error_answer: '{ok: false} with the error of your choice, no effect',
  delivered_twice: 'the app gets the delivery twice',
  disconnect: 'Socket Mode announces a disconnect, then closes after a grace time',
  sockets_cut: 'all Socket Mode connections end without notice',
  app_removed_from_channel: 'a person removes the app from a channel',
  channel_archived: 'a person archives a channel',
  message_deleted: 'a person deletes a message',
  edit_window_closed: 'a message can no longer be edited',
  token_revoked: 'the bot token stops working',
  token_expired: 'the bot token expires, which can be refreshed with token rotation',
  app_uninstalled: 'the app is removed from the team',
  partial_scopes: 'the token only has these scopes of the manifest; without a list, all of them',
  app_rate_limited: 'Slack reports that the app gets too many events',
};

type Armed = Extract<Fault, { times: number }>;

/**
 * Stores faults until a call or delivery uses them. Faults that change the world, such as a revoked token, happen at
 * once.
 */
export class FaultQueue {
  readonly list = faultList;
  readonly #armed: Armed[] = [];
  readonly #struck = new Map<FaultName, number>();
  #cleared = new AbortController();
  #changeWorld: (fault: WorldFault) => void | Promise<void> = () => {};

  /** Sets the function that carries out faults that change the world. */
  whenWorldChanges(change: (fault: WorldFault) => void | Promise<void>): void {
    this.#changeWorld = change;
  }

  /** Injects a fault. Throws a ZodError if the fault isn't valid. */
  async inject(fault: z.input<typeof faultSchema>): Promise<void> {
    const parsed = faultSchema.parse(fault);
    if ('times' in parsed) {
      this.#armed.push(parsed);
      return;
    }
    this.#count(parsed.name);
    await this.#changeWorld(parsed);
  }

  takeCall(name: string): CallFault | undefined {
    const matches = (fault: Armed): fault is CallFault =>
      'method' in fault && (fault.method === '*' || fault.method === name);
    return this.#take(matches);
  }

  takeDelivery(kind: string): boolean {
    const matches = (fault: Armed): fault is Armed =>
      'kind' in fault && (fault.kind === '*' || fault.kind === kind);
    return this.#take(matches) !== undefined;
  }

  /** Returns how often each fault has happened so far. */
  struck(): Partial<Record<FaultName, number>> {
    return Object.fromEntries(this.#struck);
  }

  /** Returns the faults that are still waiting for a call or delivery. */
  armed(): readonly Fault[] {
    return this.#armed;
  }

  /** Returns a signal that aborts when the faults are cleared, so that delayed responses are sent at once. */
  get cleared(): AbortSignal {
    return this.#cleared.signal;
  }

  clear(): void {
    this.#armed.length = 0;
    this.#cleared.abort();
    this.#cleared = new AbortController();
  }

  #take<T extends Armed>(matches: (fault: Armed) => fault is T): T | undefined {
    const fault = this.#armed.find(matches);
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times === 0) this.#armed.splice(this.#armed.indexOf(fault), 1);
    this.#count(fault.name);
    return fault;
  }

  #count(name: FaultName): void {
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
  }
}
