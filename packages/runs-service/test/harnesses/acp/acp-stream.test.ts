import { expect, it } from 'vitest';
import { createRedactor } from '../../../src/execution/output/redactor.ts';
import { createAcpStream } from '../../../src/harnesses/acp/acp-stream.ts';

const open = () => createAcpStream(() => createRedactor([]));
const request = (id: number) =>
  Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/request_permission' })}\n`);

it('a request after the end is ignored: the process may continue for a moment', () => {
  const pipe = open();
  pipe.end();
  expect(() => pipe.push(request(1))).not.toThrow();
});

it('an agent that floods with requests and reads no answers costs no memory', async () => {
  const pipe = open();
  const reader = pipe.stream.readable.getReader();
  const writer = pipe.stream.writable.getWriter();
  let answered = 0;
  for (let id = 0; id < 20_000; id += 1) pipe.push(request(id));
  pipe.end();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    answered += 1;
    const { id } = value as { id: number };
    await writer.write({ jsonrpc: '2.0', id, result: {} });
  }
  expect(answered).toBeLessThan(2_000);
});

it.each([1_000, 8_000, 100_000])('a message with %i levels is recorded as it came', (levels) => {
  const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const update = `{"sessionUpdate":"plan","entries":${deep}}`;
  for (const message of [
    `{"jsonrpc":"2.0","method":"session/update","params":{"update":${update}}}\n`,
    `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","usage":${deep}}}\n`,
    `{"jsonrpc":"2.0","id":1,"method":"x","params":${deep}}\n`,
  ])
    expect(open().push(Buffer.from(message)).toString()).toBe(message);
});
