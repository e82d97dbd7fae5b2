import type { Fields } from '../../slack/connection/deliveries/delivery-address.ts';
import { type Check, judge, judgeDone, judgeSeen, saidBy } from '../check.ts';
import { callOf, eventOf, runMessage } from '../find.ts';

const isDirect = ({ channel_type: type, bot_id: bot }: Fields) => type === 'im' && !bot;
const rootOf = ({ ts, thread_ts: thread }: Fields) =>
  thread === undefined
    ? 'no thread_ts'
    : thread === ts
      ? 'thread_ts is its ts'
      : 'another thread_ts';

export const directMessages: Check = {
  id: '9',
  title: 'Direct messages and mentions',
  needs: 'person',
  async *run({ person, record, channel, channelName, patienceMs, signal }) {
    const waiting = { withinMs: patienceMs, signal };
    const seen = record.fromNow();
    const help = await person.does(
      "Open the app's messages and select: What can you do?",
      eventOf('message', (event) => isDirect(event) && event['text'] === 'help'),
    );
    yield judgeDone('A suggested prompt arrives as a message without a thread', help, {
      holds: ({ event }) => event['thread_ts'] === undefined,
      said: ({ event }) => rootOf(event),
      missing: 'no message "help" arrived',
      means: 'The app takes such a message as no thread.',
    });
    if (typeof help !== 'string') {
      const { ts, channel: direct } = help.seen.event;
      const isThere = (sent: Fields) => sent['channel'] === direct && sent['thread_ts'] === ts;
      const answer = await record.until(() => callOf('chat.postMessage', isThere)(seen()), waiting);
      const isShown = await person.sees('Does the help show in that thread, also after a reload?');
      yield judge('Help is an ordinary message in its thread', {
        holds: answer === undefined ? false : isShown,
        said: answer
          ? `${saidBy(answer.answer)}, ${isShown === false ? 'not shown' : 'shown'}`
          : 'no such message',
        means: "People don't see answers in the app's messages.",
      });
      yield judge('Help starts no run', {
        holds: runMessage()(seen()) === undefined,
        said: runMessage()(seen()) ? 'a run was started' : 'no run',
        means: 'The first thing that people try starts a run named help. Open an issue.',
      });
    }
    const started = await person.does(
      "In the app's messages, send: hello",
      runMessage((sent) => String(sent['channel']).startsWith('D')),
    );
    const roots = seen()
      .deliveries.filter(({ event }) => isDirect(event))
      .map(({ event }) => event['ts']);
    yield judgeDone('The run message is in the thread of its prompt', started, {
      holds: ({ sent }) => roots.includes(sent['thread_ts'] as string),
      said: ({ sent }) =>
        roots.includes(sent['thread_ts'] as string) ? 'in its thread' : 'elsewhere',
      missing: 'no run message',
      means: "People look for it in the app's list of threads.",
    });
    if (typeof started !== 'string')
      yield judgeSeen(
        'Slack lists the thread with the title of its run',
        await person.sees("Does the app's list of threads show one with the title hello?"),
        { means: 'Threads of runs have no title.' },
      );
    for (const where of ['', ' in a thread']) {
      const mentioned = await person.does(
        `In ${channelName}, send${where}: @agent hello`,
        runMessage((sent) => sent['channel'] === channel && sent['thread_ts'] !== undefined),
      );
      yield judgeDone(`A mention${where} starts a run in its thread`, mentioned, {
        said: () => 'started',
        missing: 'no run message',
        means: 'Mentions do nothing there.',
      });
    }
    const again = await person.does(
      "Leave the app's messages and open them again",
      callOf('assistant.threads.setSuggestedPrompts'),
    );
    yield judgeDone('Opening its messages again lets the app suggest prompts', again, {
      holds: ({ answer }) => answer['ok'] === true,
      said: ({ answer }) => saidBy(answer),
      missing: 'Slack was not asked to show any',
      means: 'People only see the prompts of the manifest.',
    });
  },
};
