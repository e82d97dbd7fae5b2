import { expect, it } from 'vitest';
import { inBubblewrap, startAcp } from './acp-bed.ts';

it('an agent of the Agent Client Protocol works in a sandbox, where its tools are allowed', async () => {
  const acp = await startAcp('', inBubblewrap());
  const run = await acp.run([
    { permit: { kind: 'execute', title: 'npm test' } },
    { write: 'new', to: 'new.txt' },
  ]);
  expect(run.state, run.status_message?.message).toBe('SUCCEEDED');
  expect(acp.patch(run.run_id)).toContain('+permission: yes');
  expect(acp.patch(run.run_id)).toContain('+++ b/new.txt');
});
