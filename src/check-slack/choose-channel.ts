import { ExplainedError } from 'base/explained-error';
import type { CallSlack } from './call-slack.ts';
import { saidBy } from './check.ts';
import { listOf } from './find.ts';
import type { Terminal } from './person.ts';

const howTo =
  'Make a private channel for this, type /invite @agent in it, and run this again, or name a channel with --channel.';

/** Returns the only channel with the app, or lets the person choose one of several. */
export async function chooseChannel(
  call: CallSlack,
  terminal: Terminal | undefined,
): Promise<string> {
  const answer = await call('users.conversations', {
    types: 'private_channel,public_channel',
    exclude_archived: true,
    limit: 200,
  });
  if (answer['ok'] !== true)
    throw new ExplainedError(`Slack doesn't list the app's channels (${saidBy(answer)}). ${howTo}`);
  const channels = listOf(answer['channels']);
  const [only, ...others] = channels;
  if (!only) throw new ExplainedError(`The app is in no channel. ${howTo}`);
  if (others.length === 0) return String(only['id']);
  if (!terminal) throw new ExplainedError(`The app is in several channels. ${howTo}`);
  const names = channels.map(({ name }, at) => `  ${at + 1}  #${name}\n`).join('');
  for (;;) {
    terminal.print(`In which channel can it post for this check?\n${names}Number: `);
    const line = await terminal.readLine();
    if (line === undefined) throw new ExplainedError('No channel was chosen.');
    const chosen = channels[Number(line) - 1];
    if (chosen) return String(chosen['id']);
  }
}
