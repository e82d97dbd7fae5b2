import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createLineLogger } from '../../../base/test/support/line-logger.ts';
import {
  createRepository,
  shellEnvironment,
  startRunsService,
  testKey,
} from '../support/runs-service.ts';

const head = (path: string, rest: string, method = 'POST') =>
  `${method} /api/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${testKey}\r\ncontent-type: application/json\r\n${rest}\r\n\r\n`;

async function started() {
  const { logger, lines } = createLineLogger();
  const answered: number[] = [];
  const repositories = [1, 2, 3].map(() => ({ url: createRepository({ 'a.txt': 'one\n' }) }));
  const { service } = await startRunsService({
    environments: repositories.map((each, index) =>
      shellEnvironment('true', { id: `e${index}`, repositories: [each] }),
    ),
    logger,
    onAnswer: ({ status }) => void answered.push(status),
  });
  /** Sends a request, and disconnects when the service has begun with it. */
  const hangUp = async (text: string) => {
    lines.length = 0;
    const before = answered.length;
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await new Promise<void>((resolve) => socket.write(text, () => resolve()));
    await fetch(`${service.url}/healthz`);
    socket.destroy();
    await expect.poll(() => answered.length).toBeGreaterThan(before + 1);
  };
  const loud = () => lines.filter(({ level }) => level >= 40);
  return { hangUp, loud };
}

it.each([
  ['of a known length', 'content-length: 1000', '{"prompt":"x'],
  ['in chunks', 'transfer-encoding: chunked', 'c\r\n{"prompt":"x\r\n'],
])('a client that hangs up in mid-upload %s leaves nothing in the log', async (_, header, body) => {
  const { hangUp, loud } = await started();
  await hangUp(`${head('/agent/run', header)}${body}`);
  expect(loud()).toEqual([]);
});

it('a client that hangs up while skills are read leaves nothing in the log', async () => {
  const { hangUp, loud } = await started();
  await hangUp(head('/agent', 'accept: */*', 'GET'));
  expect(loud()).toEqual([]);
});
