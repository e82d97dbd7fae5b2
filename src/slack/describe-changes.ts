import type { RunRequest } from '../store/request-row.ts';
import { shorten } from './blocks.ts';
import { configFields, fieldWords } from './run-defaults.ts';

/** What differs from the request that is repeated: "model changed from A to B". */
export function describeChanges(
  before: Pick<RunRequest, 'prompt' | 'config'>,
  after: Pick<RunRequest, 'prompt' | 'config'>,
): string[] {
  const changed = configFields.flatMap((field) => {
    const [old, now] = [before.config[field], after.config[field]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    const word = fieldWords[field].replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    if (field === 'base_prompt' || field === 'mcp_servers') return [`${word} changed`];
    return [`${word} changed from ${said(old)} to ${said(now)}`];
  });
  return [...(before.prompt === after.prompt ? [] : ['prompt changed']), ...changed];
}

const said = (value: unknown) =>
  typeof value === 'string' && value ? shorten(value, 60) : 'the default';
