import type { RunRequest } from '../../store/request-row.ts';
import { shorten } from '../text/blocks.ts';
import { configFields, fieldWords } from './run-defaults.ts';

export type Asked = Pick<RunRequest, 'prompt' | 'title' | 'config'>;

/** What differs from the request that is repeated: "model changed from A to B". What people wrote themselves is not quoted. */
export function describeChanges(before: Asked, after: Asked): string[] {
  const changed = configFields.flatMap((field) => {
    const [old, now] = [before.config[field], after.config[field]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const word = fieldWords[field].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    if (field === 'base_prompt' || field === 'mcp_servers') return [`${word} changed`];
    return [`${word} changed from ${said(old)} to ${said(now)}`];
  });
  // Without a title of its own a run is named by its prompt, so that one change would be told twice.
  const isRenamed = before.prompt === after.prompt && before.title !== after.title;
  return [
    ...(before.prompt === after.prompt ? [] : ['prompt changed']),
    ...(isRenamed ? ['title changed'] : []),
    ...changed,
  ];
}

const said = (value: unknown) =>
  typeof value === 'string' && value ? shorten(value, 60) : 'the default';
