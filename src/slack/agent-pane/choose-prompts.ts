import type { RecentPrompt } from '../../store/requests/request-lookup.ts';
import { isSameName, type Preset } from '../configuration/presets.ts';
import { readOptions } from '../configuration/typed-options.ts';
import { titleLine } from '../runs/showing/run-label.ts';
import { shorten } from '../text/escape-text.ts';

/** A message that Slack offers to send, with its label. */
type SuggestedPrompt = { title: string; message: string };

/** Max prompts that Slack accepts. */
const maxPrompts = 4;
const leftForPresets = 1;
const titleLimit = 70;

/** Returns a person's last prompts, then presets. Selecting a preset without a prompt makes the app ask for one. */
export function choosePrompts(
  recent: readonly RecentPrompt[],
  presets: readonly Pick<Preset, 'name'>[],
): SuggestedPrompt[] {
  const named = eachOnce(presets.flatMap(fromPreset));
  const room = maxPrompts - Math.min(leftForPresets, named.length);
  const again = eachOnce(recent.map(fromRun)).slice(0, room);
  return [...again, ...named.slice(0, maxPrompts - again.length)];
}

/** Removes prompts that send the same message as an earlier one. */
const eachOnce = (prompts: readonly SuggestedPrompt[]): SuggestedPrompt[] =>
  prompts.filter(
    ({ message }, at) => prompts.findIndex((each) => isSameName(each.message, message)) === at,
  );

function fromRun({ title, prompt }: RecentPrompt): SuggestedPrompt {
  const message = prompt.trim();
  return {
    title: shorten(titleLine(title), titleLimit),
    message: isPlain(message) ? message : `-- ${message}`,
  };
}

/** Returns true if nothing in the prompt is read as an option. */
function isPlain(prompt: string): boolean {
  const read = readOptions(prompt);
  return read.ok && read.rest === prompt;
}

/** Suggests a preset. Returns nothing if its name has quotes, because such a name can't be typed. */
function fromPreset({ name }: Pick<Preset, 'name'>): SuggestedPrompt[] {
  const message = `preset="${name}"`;
  const read = readOptions(message);
  const isTypable = read.ok && read.options.preset === name && read.rest === '';
  const title = shorten(`Start with preset ${titleLine(name)}`, titleLimit);
  return isTypable ? [{ title, message }] : [];
}
