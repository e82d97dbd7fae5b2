import { type Fields, fieldsOf } from '../../slack/connection/deliveries/delivery-address.ts';
import { type Check, type CheckContext, judge, saidBy } from '../check.ts';

const plain = (text: string) => ({ type: 'plain_text', text });
export const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
export const markdown = (text: string) => ({ type: 'markdown', text });
const header = { type: 'header', text: plain('check-slack') };
const plan = {
  type: 'plan',
  title: 'check-slack',
  tasks: [
    { type: 'task_card', task_id: '1', title: 'First', status: 'complete' },
    { type: 'task_card', task_id: '2', title: 'Second', status: 'in_progress' },
  ],
};
const feedback = {
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      action_id: 'check-slack:feedback',
      positive_button: { text: plain('Good'), value: 'good' },
      negative_button: { text: plain('Bad'), value: 'bad' },
    },
  ],
};
const metadata = { event_type: 'check_slack', event_payload: { check: 'message' } };

/** Reads a message from Slack, to compare it with the one that was sent. */
export async function readBack(
  { call, channel }: Pick<CheckContext, 'call' | 'channel'>,
  ts: unknown,
): Promise<{ answer: Fields; message: Fields }> {
  const answer = await call('conversations.history', {
    channel,
    oldest: ts,
    latest: ts,
    inclusive: true,
    limit: 1,
    include_all_metadata: true,
  });
  const { messages } = answer;
  return { answer, message: fieldsOf(Array.isArray(messages) ? messages[0] : undefined) };
}

export const typesOf = ({ blocks }: Fields): string =>
  (Array.isArray(blocks) ? blocks : []).map((block) => Object(block).type).join(', ') || 'none';

const marked =
  'In the channel is a message with the title check-slack and the answer 42. Is it marked as "(edited)"?';

export const messageLife: Check = {
  id: '6',
  title: 'Life of a message',
  needs: 'nothing',
  async *run(context) {
    const { call, channel, person } = context;
    const text = 'check-slack: this message is deleted at the end';
    const posted = await call('chat.postMessage', {
      channel,
      text,
      blocks: [header, section(text), plan, markdown('Working on **it**'), feedback],
      metadata,
    });
    yield judge('A message can have a plan, Markdown and feedback buttons', {
      holds: posted['ok'] === true,
      said: saidBy(posted),
      means: 'Run messages are posted in their short form.',
    });
    if (posted['ok'] !== true) return;
    const { ts } = posted;
    const updated = await call('chat.update', {
      channel,
      ts,
      text,
      blocks: [header, section(text), markdown('The answer is **42**'), feedback],
    });
    yield judge('An update can take the plan out again', {
      holds: updated['ok'] === true,
      said: saidBy(updated),
      means: 'The run message is posted again when the run ends.',
    });
    const { answer, message } = await readBack(context, ts);
    const isRead = answer['ok'] === true && message['ts'] === ts;
    yield judge('A message keeps its ts when it is updated', {
      holds: updated['ok'] === true ? updated['ts'] === ts : undefined,
      said: updated['ts'] === ts ? 'the same ts' : 'another ts',
      means: 'The app loses the message after its first update. Open an issue.',
    });
    yield judge('Metadata comes back without a further scope', {
      holds: isRead ? fieldsOf(message['metadata'])['event_type'] === 'check_slack' : undefined,
      said: `${saidBy(answer)}, metadata ${message['metadata'] ? 'present' : 'absent'}`,
      means: "After a lost answer, the app can't find its message, so it can post it twice.",
    });
    const isEdited = isRead ? message['edited'] !== undefined : undefined;
    const isMarked = isEdited ? await person.sees(marked) : isEdited;
    yield judge('A message with blocks is not marked as edited by an update', {
      holds: isMarked === undefined ? undefined : !isMarked,
      said: `edited ${isEdited ? 'present' : 'absent'} in the API`,
      means: 'Run messages show "(edited)".',
    });
  },
};
