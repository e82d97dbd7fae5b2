import { describe, expect, it } from 'vitest';
import { validateMessage } from '../../src/local-workspace/block-kit/validate-message.ts';
import { validateView } from '../../src/local-workspace/block-kit/validate-view.ts';
import { previewCases } from './preview-cases.ts';

/** What Slack gets: JSON knows no `undefined`. */
const sent = (value: object) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

describe('what people see', () => {
  it('is as it was looked at last: see `npm run preview`, then `npx vitest -u`', async () => {
    const lines = previewCases.map((each) => JSON.stringify(each, null, 1));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden.txt');
  });

  it.each(previewCases)('$group, $name, is taken by Slack', ({ kind, text, payload }) => {
    const problems =
      kind === 'message'
        ? validateMessage(sent({ text, ...payload }), { method: 'chat.postMessage' })
        : validateView(sent(payload), { types: [kind] });
    expect(problems).toEqual([]);
  });
});
