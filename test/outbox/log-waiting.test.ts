import { createLogger } from 'base/logger';
import { expect, it } from 'vitest';
import { logWaiting } from '../../src/outbox/post-once.ts';

it.each([
  [{ reason: 'ratelimited' }, 40],
  [{ reason: 'own_rate_limit', isQuiet: true } as const, 20],
])('%j is logged at level %i', (waiting, level) => {
  const lines: unknown[] = [];
  const logger = createLogger('trace', { write: (line) => void lines.push(JSON.parse(line)) });
  logWaiting(logger, waiting, { requestId: 'r1' }, 'reply waits');
  expect(lines).toMatchObject([{ level, reason: waiting.reason }]);
});
