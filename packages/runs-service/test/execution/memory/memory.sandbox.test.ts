import { expect, it } from 'vitest';
import { startRunsService } from '../../support/runs-service.ts';
import { agent, ask } from './memory-bed.ts';

it('the memory of a conversation is kept in a sandbox', async () => {
  const service = await startRunsService({ environments: [agent({ isolation: 'bubblewrap' })] });
  const one = await ask(service, 'pelican');
  const two = await ask(service, 'heron', one.conversation);
  expect(two.output).toContain('heard: pelican');
});
