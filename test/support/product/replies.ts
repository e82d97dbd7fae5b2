import type { Actor } from 'slack-stand-in';
import { testKey } from '../../../packages/runs-service/test/support/runs-service.ts';
import { startApiGate } from '../network/api-gate.ts';
import { general, startProduct } from './product.ts';
import { savesSettings } from './settings.ts';

/** Starts a product in which a test can read the requests to the runs service. */
export async function startRepliedProduct() {
  const product = await startProduct();
  const gate = await startApiGate(product.service.apiUrl);
  await product.startBot({ runsApi: { baseUrl: gate.baseUrl, apiKey: testKey } });
  const { baseUrl, holdAnswers } = gate;
  return { ...product, baseUrl, holdAnswers, ...watch(gate, product) };
}

type Gate = { received: readonly { method: string; url: string; body: unknown }[] };

export function watch(
  gate: Gate,
  { workspace }: Pick<Awaited<ReturnType<typeof startProduct>>, 'workspace'>,
) {
  const posted = (end: string) =>
    gate.received
      .filter(({ method, url }) => method === 'POST' && url.endsWith(end))
      .map(({ body }) => body as Record<string, string>);
  return {
    /** Texts sent to active runs, in order, without the author's line. */
    followUps: () =>
      posted('/followups').map(({ message = '' }) => message.replace(/^Message from .*:\n\n/, '')),
    messages: () => posted('/followups').map(({ message }) => message),
    /** Bodies of the requests that created runs, in order. */
    creates: () => posted('/agent/run'),
    /** Waits until the app has reacted to a message. */
    reacted: (ts: string | undefined, name: string, channelId = general) =>
      workspace.until(() => {
        const message = workspace.messagesIn(channelId).find((each) => each.ts === ts);
        return message?.reactions.some((each) => each.name === name) || undefined;
      }),
    /** Returns the messages that only this person sees. */
    toldTo: (person: Actor, channelId = general) =>
      person.sees(channelId).filter(({ visibleTo }) => visibleTo),
  };
}

/** Changes a channel's settings, so that replies or only mentions send messages to runs. */
export async function letRepliesCount(
  product: Pick<Awaited<ReturnType<typeof startProduct>>, 'workspace'>,
  person: Actor,
  which: 'all' | 'mentions' = 'all',
): Promise<void> {
  await savesSettings(product, person, 'channel:notifications', { 'channel:replies': which });
}
