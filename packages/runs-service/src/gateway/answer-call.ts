import { allowedModels } from './allowed-models.ts';
import type { Budget } from './body/budget.ts';
import { checkRequest, createRequestScanner } from './body/check-request.ts';
import { withIncludedUsage } from './body/include-usage.ts';
import type { Member } from './body/members-scanner.ts';
import { busy, readBody } from './body/read-body.ts';
import { type Call, type CheckedCall, rejectCall } from './call.ts';
import { callLeaseMs } from './call-leases.ts';
import { EarlyStream } from './early-stream.ts';
import { type GatewayReports, knownModel } from './gateway-reports.ts';
import type { Hold } from './hold.ts';
import type { ReadKey } from './key-files.ts';
import type { Prices } from './prices.ts';
import { type ProviderProblem, problemText } from './provider-problems.ts';
import { deniedBy, type Rejection } from './rejections.ts';
import { reserveCall } from './reserve-call.ts';
import type { RunState } from './run-states.ts';
import { sendCall } from './send-call.ts';
import { type CallRows, settledCall } from './settle-call.ts';
import type { Upstream } from './upstream.ts';

export type CallDeps = {
  rows: CallRows;
  /** Name of this process in the store. */
  owner: string;
  prices: Prices;
  hold: Hold;
  /** Called after the end of a run's call was stored. */
  onEnded: (runId: string) => void;
  readKey: ReadKey;
  upstream: Upstream;
  /** Memory for request bodies of all runs. */
  bodyBytes: Budget;
  /** Memory for the bodies of calls that wait at a cap. */
  heldBytes: Budget;
  reports?: GatewayReports | undefined;
  silenceMs?: number | undefined;
  keepAliveMs?: number | undefined;
};

/** Body of a checked call. It's forgotten when the provider has it. */
type Body = {
  chunks: Buffer[];
  streamOptions: Member | undefined;
  /** Moves the body to the memory of calls that wait at a cap. Returns false if it doesn't fit. */
  hold: () => boolean;
  release: () => void;
};

/**
 * Answers a model call: checks it, reserves its cost, sends it to the provider, and settles its price. Returns a
 * rejection that the agent gets if the call wasn't sent.
 */
export async function answerCall(
  call: Call,
  state: RunState,
  deps: CallDeps,
): Promise<Rejection | undefined> {
  const { signal, request } = call;
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    return invalid(415, 'The request body is compressed. Send it without compression.');
  if (!(await state.slots.take(1, signal))) return busy;
  const taken = new Map<Budget, number>();
  const release = () => {
    for (const [budget, bytes] of taken) budget.give(bytes);
    taken.clear();
  };
  try {
    const read = await readRequest(call, [state.bodyBytes, deps.bodyBytes], taken);
    if (read === 'gone') return undefined;
    if ('rejection' in read) return read.rejection;
    const { model, isStream, maxOutputTokens, chunks, streamOptions } = read;
    const denied = denialOf(call, model, deps.prices);
    if (denied) return denied;
    const found = await deps.readKey(call.provider);
    if ('problem' in found) return withoutKey(call, state);
    const early = new EarlyStream(
      call.response,
      isStream ? call.route.flavor : undefined,
      call.access.headersWithinMs,
      deps.keepAliveMs,
    );
    const ready: CheckedCall = {
      ...call,
      model,
      isStream,
      requestBytes: read.bytes,
      maxOutputTokens,
      key: found.key,
      early,
    };
    const hold = () => {
      const held = [state.heldBytes, deps.heldBytes];
      if (held.every((budget) => taken.has(budget))) return true;
      release();
      for (const budget of held) {
        if (!budget.takeNow(read.bytes)) return false;
        taken.set(budget, read.bytes);
      }
      return true;
    };
    const body = { chunks, streamOptions, hold, release };
    await makeCall(ready, body, state, deps).finally(() => early.stop());
  } finally {
    release();
    state.slots.give(1);
  }
  return undefined;
}

/** Reads and checks the body. Its scanner is forgotten at the end, because the tools that it keeps are large. */
async function readRequest(
  { request, provider, route, signal }: Call,
  budgets: readonly Budget[],
  taken: Map<Budget, number>,
) {
  const scanner = createRequestScanner();
  const onChunk = (chunk: Buffer) => scanner.push(chunk);
  const read = await readBody(request, { budgets, taken, onChunk, signal });
  if (read === 'gone' || 'rejection' in read) return read;
  const { api, server_tools: allowsServerTools = false } = provider;
  const checked = checkRequest(scanner, read.chunks, api, route, allowsServerTools);
  if ('problem' in checked) return { rejection: invalid(400, checked.problem) };
  return { chunks: read.chunks, bytes: read.bytes, ...checked };
}

async function makeCall(
  call: CheckedCall,
  body: Body,
  state: RunState,
  deps: CallDeps,
): Promise<void> {
  const { rows, prices, hold, onEnded, upstream, silenceMs, keepAliveMs, reports } = deps;
  const { chunks, streamOptions, release } = body;
  const { route, isStream } = call;
  let hasWaited = false;
  if (!route.isFree) {
    const reserved = await reserveCall(call, newRow(call, deps), {
      rows,
      hold,
      holdBody() {
        hasWaited = true;
        return body.hold();
      },
    });
    if (reserved === 'gone') return;
    if (reserved !== 'reserved') {
      reports?.onRejected(reserved.rejection.code);
      return rejectCall(call, reserved.rejection);
    }
  }
  if (!hasWaited) reports?.onSent(performance.now() - call.arrivedAt);
  // The key can have changed while the call waited.
  const found = hasWaited ? await deps.readKey(call.provider) : call;
  const changed =
    route.flavor === 'chat' && isStream ? withIncludedUsage(chunks, streamOptions) : undefined;
  const sent = await sendCall(
    'key' in found ? { ...call, key: found.key } : call,
    changed ?? chunks,
    { onDelivered: release, dropsUsage: changed !== undefined },
    {
      upstream,
      onProblem: (problem) => note(call, state, problem),
      silenceMs,
      keepAliveMs,
    },
  );
  if (route.isFree) return;
  const { outcome, status, upstreamId } = sent;
  const settled = sent.isBilled ? settledCall(call, sent, prices) : undefined;
  reports?.onCall({
    provider: call.provider.name,
    model: knownModel(call.provider, call.model, settled?.priceEntry),
    micros: settled?.priceMicros ?? 0,
    usage: sent.reader?.read().usage,
    outcome,
  });
  if (settled) await rows.settle(call.id, settled);
  else await rows.release(call.id, { outcome, status, upstreamId });
  onEnded(call.access.runId);
}

function newRow(
  { id, access, provider, model, requestBytes }: CheckedCall,
  { owner, prices }: Pick<CallDeps, 'owner' | 'prices'>,
) {
  return {
    id,
    runId: access.runId,
    environmentId: access.environmentId,
    labels: access.labels,
    spendKeys: access.spendKeys,
    provider: provider.name,
    api: provider.api,
    model,
    requestBytes,
    estimateMicros: prices.estimate(provider, model, requestBytes),
    owner,
    leaseMs: callLeaseMs,
  };
}

const invalid = (status: number, message: string): Rejection => ({
  status,
  code: 'invalid_request',
  message,
});

/** Returns the reason why a run can't use a model in this way. */
function denialOf(
  { access, provider, request }: Call,
  model: string,
  prices: Pick<Prices, 'hasPrice'>,
): Rejection | undefined {
  const allowed = allowedModels(provider, access);
  if (allowed && !allowed.includes(model)) {
    const list = allowed.length === 0 ? 'No model is allowed.' : `Use ${allowed.join(' or ')}.`;
    return deniedBy(
      provider.api,
      'model_not_allowed',
      `This run can't use the model "${model}". ${list}`,
    );
  }
  if (/\bfast-mode-/i.test(String(request.headers['anthropic-beta'] ?? '')))
    return invalid(400, "The runs service doesn't allow fast mode in model calls.");
  if (provider.unpriced === 'deny' && !prices.hasPrice(provider, model))
    return deniedBy(
      provider.api,
      'model_not_allowed',
      `The model "${model}" has no price, and "${provider.name}" allows only models with a price.`,
    );
  return undefined;
}

function withoutKey(call: Call, state: RunState): Rejection {
  const problem = { kind: 'no_key' } as const;
  note(call, state, problem);
  return { status: 503, code: 'no_key', message: problemText(call.provider.name, problem) };
}

/** Adds a problem to the run's timeline, once. */
function note({ access, provider }: Call, { notes }: RunState, problem: ProviderProblem): void {
  const text = problemText(provider.name, problem);
  if (notes.has(text)) return;
  notes.add(text);
  access.note(text);
}
