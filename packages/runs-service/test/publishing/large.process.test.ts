import { expect, it } from 'vitest';
import { ended, startPublishing } from './publishing.ts';

it('a change of almost 50 MB is published', async () => {
  const { server, service } = await startPublishing(
    // Make only a part random, because compressing 48 MB of random text would take longest.
    '(base64 /dev/urandom | head -c 2000000; yes "a long line" | head -c 46000000) > big.txt',
  );
  const { publication } = await ended(service, { prompt: 'x' });
  expect(publication).toMatchObject({ state: 'published' });
  expect(server.git('cat-file', '-s', `${publication?.branch}:big.txt`)).toBe('48000000');
});
