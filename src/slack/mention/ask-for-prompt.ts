/** Asks for a prompt if a mention has only options, such as a suggested preset. */

import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';
import { readOptions, readTypedConfig } from '../configuration/typed-options.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { OpenForm } from '../runs/acting/run-start.ts';
import { actions, button, section } from '../text/blocks.ts';
import type { MentionAnswer } from './mention-answers.ts';
import type { Mention } from './read-mention.ts';

type AskDeps = { openForm: OpenForm; settings: Pick<Settings, 'list'> };

const fillInAction = 'mention:fill-in-form';
/** Slack's limit for a button value, in characters. */
const valueLimit = 2_000;

const wantedSchema = z.object({
  /** Typed options, with secrets masked. */
  options: z.string(),
  /** ID of the channel for the run: the one on the author's screen, or else the message's. */
  channelId: z.string(),
  threadTs: z.string().optional(),
});
type Wanted = z.infer<typeof wantedSchema>;

type Place = Pick<Mention, 'channelId' | 'threadTs' | 'inView'>;

export function askForPrompt(
  { channelId, threadTs, inView }: Place,
  options: string,
): MentionAnswer {
  const place = inView ? { channelId: inView } : { channelId, ...(threadTs && { threadTs }) };
  const value = JSON.stringify({ options, ...place } satisfies Wanted);
  if ([...value].length > valueLimit) return { text: nothingAsked };
  const text = inView ? `${nothingAsked} The run will be posted in <#${inView}>.` : nothingAsked;
  const fillIn = button(fillInAction, 'Open form', { value, style: 'primary' });
  return { text, blocks: [section(text), actions([fillIn])] };
}

export function registerAskForPrompt(app: Listeners, { openForm, settings }: AskDeps): void {
  onOpeningClick(app, fillInAction, async (click) => {
    const wanted = wantedSchema.safeParse(parseJson(click.value)).data;
    const read = readOptions(wanted?.options ?? '');
    if (!wanted || !read.ok) return;
    const { channelId, threadTs } = wanted;
    const asker = { ...click.viewer, channelId };
    const typed = await readTypedConfig(settings, asker, read.options);
    if (!typed.ok) return answerPrivately(click, { text: typed.problem });
    await openForm(
      click.client,
      { triggerId: click.body.trigger_id, asker },
      {
        channelId,
        prompt: '',
        title: read.options.title,
        typed: typed.config,
        preset: typed.preset,
        origin: { kind: 'mention', ...(threadTs && { threadTs }) },
      },
    );
  });
}

const nothingAsked =
  'There are options but no prompt. Type the prompt after the options, for example `@agent env=web count the TODO comments`.';
