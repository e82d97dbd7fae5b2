import type { Question } from 'runs-client/contract';
import type { Actor } from 'slack-stand-in';
import { startApiStub } from '../../support/network/api-stub.ts';
import { general, runMessageShowing, startProduct, textOf } from '../../support/product/product.ts';

const question: Question = {
  id: 'q1',
  text: 'Allow "Run tests"?',
  details: 'npm test <!channel>',
  options: [
    { id: 'yes', label: 'Allow once', kind: 'allow_once' },
    { id: 'always', label: 'Always allow', kind: 'allow_always' },
    { id: 'no', label: 'Reject', kind: 'reject_once' },
  ],
  takes_text: false,
};

type Asking = { replicas?: number; asked?: Partial<Question> | null };

export const option = (index: number) => `question:option:${index}`;

/** Starts Grace's run, which asks a question. Alan is in the group @oncall with her. Ada is an admin. */
export async function startAskingRun({ replicas = 1, asked = {} }: Asking = {}) {
  const product = await startProduct();
  const api = await startApiStub();
  /** Changes the run's question. Null makes the run wait with only a status message. */
  const asks = (more: Partial<Question> | null) =>
    api.answers('BLOCKED', {
      status_message: { message: 'Which branch?' },
      ...(more && { agent_progress: { question: { ...question, ...more } } }),
    });
  asks(asked);
  api.afterPosts(() => api.answers('INPROGRESS'));
  const runsApi = { baseUrl: api.baseUrl, apiKey: 'key-of-the-stub' };
  for (let count = 0; count < replicas; count += 1) await product.startBot({ runsApi });
  const { workspace, grace } = product;
  await grace.types(general, '/agent run fix the login');
  const message = await runMessageShowing(workspace, 'Needs input');
  const cards = () =>
    workspace
      .messagesIn(general, { thread: message.ts })
      .filter(({ metadata }) => textOf(metadata).includes('slash_agent_question'));
  /** Waits until the newest card shows this text. */
  const cardShowing = async (words: string) => {
    const card = await workspace.until(() => {
      const shown = cards().at(-1);
      return shown && textOf(shown).includes(words) ? shown : undefined;
    });
    const at = { channelId: general, messageTs: card.ts, thread: message.ts };
    return { text: textOf(card), at };
  };
  /** Returns the messages in the channel and the thread that only this person sees. */
  const told = (person: Actor) =>
    workspace
      .messagesIn(general)
      .concat(workspace.messagesIn(general, { thread: message.ts }))
      .filter(({ visibleTo }) => visibleTo === person.person.id)
      .map(({ text }) => text);
  const inGeneral = { channelId: general, messageTs: message.ts };
  return { ...product, api, asks, message, inGeneral, cards, cardShowing, told };
}
