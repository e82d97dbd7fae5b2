import type { RunRequest } from '../../store/requests/request-row.ts';
import { shorten } from '../text/blocks.ts';
import { configFields, fieldWords } from './run-defaults.ts';

export type Asked = Pick<RunRequest, 'prompt' | 'context' | 'title' | 'config'>;

/** Differences from the repeated run: "model changed from A to B". Prompts and other long texts aren't quoted. */
export function describeChanges(before: Asked, after: Asked): string[] {
  const changed = configFields.flatMap((field) => {
    const [old, now] = [before.config[field], after.config[field]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const word = fieldWords[field].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    if (field === 'base_prompt' || field === 'mcp_servers') return [`${word} changed`];
    return [`${word} changed from ${valueText(old)} to ${valueText(now)}`];
  });
  // A run without a title is named by its prompt: a new prompt isn't a second change.
  const isRenamed = before.prompt === after.prompt && before.title !== after.title;
  return [
    ...(before.prompt === after.prompt ? [] : ['prompt changed']),
    ...(before.context && !after.context ? ['thread left out'] : []),
    ...(isRenamed ? ['title changed'] : []),
    ...changed,
  ];
}

const valueText = (value: unknown) =>
  typeof value === 'string' && value ? shorten(value, 60) : 'the default';
