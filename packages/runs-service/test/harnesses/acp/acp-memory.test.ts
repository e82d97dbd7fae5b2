import { describe, expect, it } from 'vitest';
import { startAcp } from './acp-bed.ts';

const one = [{ write: 'a', to: 'pelican.txt' }];
const two = [{ write: 'b', to: 'heron.txt' }];
const promptsIn = (patch: string): string[] => {
  const [, line = '[]'] = /^\+(\[".*\])$/m.exec(patch) ?? [];
  return JSON.parse(line) as string[];
};

describe('the next run of an agent of the Agent Client Protocol', () => {
  it.each(['loads sessions', 'resumes sessions'])(
    'continues its session if it %s',
    async (manner) => {
      const acp = await startAcp(manner);
      const first = await acp.run(one);
      const second = await acp.next(first, two);
      expect(second.state, second.status_message?.message).toBe('SUCCEEDED');
      const prompts = [JSON.stringify(one), JSON.stringify(two)];
      expect(promptsIn(acp.patch(second.run_id))).toEqual(prompts);
      expect(acp.log(second.run_id)).not.toContain('said before');
    },
  );

  it('gets the conversation as text if it can do neither', async () => {
    const acp = await startAcp();
    const first = await acp.run(one);
    const second = await acp.next(first, two);
    expect(second.state, second.status_message?.message).toBe('SUCCEEDED');
    const [prompt, ...more] = promptsIn(acp.patch(second.run_id));
    expect(more).toEqual([]);
    expect(prompt).toContain(`<user>\n${JSON.stringify(one)}\n</user>`);
    expect(prompt?.endsWith(JSON.stringify(two))).toBe(true);
    const page = await (await fetch(second.session_link ?? '')).text();
    expect(page).toContain('It can&#39;t load sessions');
  });
});
