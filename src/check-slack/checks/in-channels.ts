import { fieldsOf } from '../../slack/connection/deliveries/delivery-address.ts';
import { type Check, judge, judgeDone, judgeSeen, saidBy } from '../check.ts';
import { callOf, deliveryOf, runMessage } from '../find.ts';
import type { Delivery } from '../record.ts';

const ackWithinMs = 3_000;
const isInTime = ({ ackMs }: Delivery) => ackMs !== undefined && ackMs < ackWithinMs;
const acked = ({ ackMs }: Delivery) =>
  ackMs === undefined ? 'not acknowledged' : `acknowledged after ${Math.round(ackMs)} ms`;

export const manifest: Check = {
  id: '1',
  title: 'The manifest',
  needs: 'person',
  async *run({ person }) {
    const questions = [
      [
        'Slack takes the manifest without a warning',
        'Did Slack take the manifest without a warning?',
        'Print it with --plain.',
      ],
      [
        'An app with workflow steps can be installed in one workspace',
        'Did Slack offer to install the app in one workspace, and not only in the organization?',
        "The setup with one token needs an organization's token.",
      ],
      [
        'The manifest turns on the agent features',
        'Are they on, under Agents in the settings of the app?',
        'There are no suggested prompts, and no Stop button.',
      ],
      [
        'The manifest turns on work objects',
        'Are they on, under Work Object Previews?',
        'Links to sessions have no card until someone turns it on.',
      ],
      [
        'The manifest opts in to organizations',
        'Is the app opted in, under Org Level Apps?',
        "The workflow step isn't offered.",
      ],
    ] as const;
    for (const [assumption, question, means] of questions)
      yield judgeSeen(assumption, await person.sees(question), { means });
  },
};

export const commands: Check = {
  id: '4',
  title: 'Commands',
  needs: 'person',
  async *run({ person, channelName }) {
    const places = [
      ['a public channel without the app', 'a public channel without the app'],
      ['a channel with the app', channelName],
      ["the app's own messages", "the app's own messages"],
    ] as const;
    for (const [place, there] of places) {
      const done = await person.does(`In ${there}, send: /agent help`, deliveryOf('command'));
      const isShown =
        typeof done === 'string'
          ? undefined
          : await person.sees('Is there an answer that only you can see?');
      yield judgeDone(`A command in ${place} is answered`, done, {
        holds: (command) => (isInTime(command) ? isShown : false),
        said: (command) => `${acked(command)}, ${isShown === false ? 'no answer' : 'answered'}`,
        missing: 'no command arrived',
        means: 'Commands do nothing there.',
      });
    }
    yield judgeSeen(
      'Slack rejects commands in threads',
      await person.sees('In a thread, send: /agent help. Does Slack reject it?'),
      { means: 'The answer to a command can be out of sight.' },
    );
  },
};

export const form: Check = {
  id: '5',
  title: 'The form',
  needs: 'person',
  async *run({ person, record, call, patienceMs, signal }) {
    const seen = record.fromNow();
    const done = await person.does(
      'In a public channel without the app, send /agent, select More options, type a letter into each list, write hello as the prompt, and start the run',
      deliveryOf('view'),
    );
    const opened = callOf('views.open')(seen());
    if (opened)
      yield judge('A command opens the form', {
        holds: opened.answer['ok'] === true,
        said: saidBy(opened.answer),
        means: 'People can only start runs with /agent run.',
      });
    const searches = seen().deliveries.filter(({ kind }) => kind === 'options');
    const slowest = Math.max(...searches.map(({ ackMs = Number.POSITIVE_INFINITY }) => ackMs));
    yield judge('Lists of the form get their options in time', {
      holds: searches.length === 0 ? undefined : slowest < ackWithinMs,
      said: `${searches.length} searches${searches.length > 0 ? `, the slowest in ${Math.round(slowest)} ms` : ''}`,
      means: 'Lists of the form show an error.',
    });
    const channelOf = () => deliveryOf('command')(seen())?.body['channel_id'];
    const isThere = runMessage((sent) => sent['channel'] === channelOf());
    const posted =
      typeof done === 'string'
        ? undefined
        : await record.until(() => isThere(seen()), { withinMs: patienceMs, signal });
    const info = posted && (await call('conversations.info', { channel: channelOf() }));
    const isMember = fieldsOf(info?.['channel'])['is_member'];
    yield judgeDone('The app posts in a public channel without being a member', done, {
      holds: () => (isMember === true ? undefined : posted !== undefined),
      said: () => `${posted ? 'posted' : 'not posted'}, is_member ${isMember}`,
      missing: 'the form was not sent',
      means: 'Runs that are started there are shown in a direct message.',
    });
  },
};

export const longAnswer: Check = {
  id: 'answer',
  title: 'An answer that is too long for Slack',
  needs: 'person',
  async *run({ person, record, channel, channelName, patienceMs, signal }) {
    const seen = record.fromNow();
    const started = await person.does(
      `In ${channelName}, send: /agent run answer with headings`,
      runMessage((sent) => sent['channel'] === channel),
    );
    const ts = typeof started === 'string' ? undefined : started.seen.answer['ts'];
    const shared = await record.until(
      () =>
        ts
          ? callOf('files.completeUploadExternal', ({ thread_ts }) => thread_ts === ts)(seen())
          : null,
      { withinMs: patienceMs, signal },
    );
    yield judgeDone('It ends as its beginning and a file', started, {
      holds: () => shared?.answer['ok'] === true,
      said: () => (shared ? saidBy(shared.answer) : 'no file'),
      missing: 'no run message',
      means: 'The answer is only in its session. Open an issue.',
    });
  },
};
