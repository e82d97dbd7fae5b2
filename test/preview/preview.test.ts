import { describe, expect, it } from 'vitest';
import { useWorkspace } from '../../packages/slack-stand-in/test/support/use-workspace.ts';
import { checkLive, checkOffline } from './block-checks.ts';
import { type PreviewCase, previewCases } from './preview-cases.ts';
import { previewText } from './preview-text.ts';

/** Slack's `blocks.validate` needs no token, but a build must not depend on another company's server, so it's never called here. */
const wrong: PreviewCase = {
  group: 'Wrong',
  name: 'an unknown text',
  kind: 'message',
  text: 'x',
  payload: { blocks: [{ type: 'section', text: { type: 'html', text: 'x' } }] },
};

describe('what people see', () => {
  it('is as it was looked at last: see `npm run preview`, then `npx vitest -u`', async () => {
    await expect(previewCases.map(previewText).join('\n')).toMatchFileSnapshot('golden.txt');
  });

  it('is taken by Slack', () => {
    expect(checkOffline(previewCases)).toEqual([]);
  });
});

describe('checking it with blocks.validate', () => {
  const { startWorkspace } = useWorkspace();

  it('finds nothing wrong in any of it, and names what is wrong elsewhere', async () => {
    const workspace = await startWorkspace();
    expect(await checkLive(previewCases, workspace.apiUrl)).toEqual({ findings: [] });
    const { findings } = Object(await checkLive([wrong], workspace.apiUrl));
    expect(findings).toEqual([
      {
        name: 'Wrong, an unknown text',
        problem: expect.stringMatching(/^invalid_message; .*\/text/),
      },
    ]);
  });

  it('says so when there is no network', async () => {
    const live = await checkLive([wrong], 'http://127.0.0.1:9/');
    expect(Object(live).unreachable).toMatch(/127\.0\.0\.1:9 cannot be reached.*network/);
  });
});
