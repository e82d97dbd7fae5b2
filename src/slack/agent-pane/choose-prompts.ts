import type { RecentPrompt } from '../../store/requests/request-lookup.ts';
import { isSameName, type Preset } from '../configuration/presets.ts';
import { readOptions } from '../configuration/typed-options.ts';
import { titleLine } from '../runs/showing/run-label.ts';
import { shorten } from '../text/escape-text.ts';

/** A message that Slack offers to send, with its label. */
type SuggestedPrompt = { title: string; message: string };

/** Slack takes four. */
const mostPrompts = 4;
const leftForPresets = 1;
const titleLimit = 70;

/** A person's last prompts, and presets, which ask for a prompt. */
export function choosePrompts(
  recent: readonly RecentPrompt[],
  presets: readonly Pick<Preset, 'name'>[],
): SuggestedPrompt[] {
  const named = eachOnce(presets.flatMap(fromPreset));
  const room = mostPrompts - Math.min(leftForPresets, named.length);
  const again = eachOnce(recent.map(fromRun)).slice(0, room);
  return [...again, ...named.slice(0, mostPrompts - again.length)];
}

/** The first of those that send the same. */
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

/** True if the prompt alone has no options. */
function isPlain(prompt: string): boolean {
  const read = readOptions(prompt);
  return read.ok && read.rest === prompt;
}

/** A preset with quotes in its name can't be typed. */
function fromPreset({ name }: Pick<Preset, 'name'>): SuggestedPrompt[] {
  const message = `preset="${name}"`;
  const read = readOptions(message);
  const isTypable = read.ok && read.options.preset === name && read.rest === '';
  const title = shorten(`Start with preset ${titleLine(name)}`, titleLimit);
  return isTypable ? [{ title, message }] : [];
}
