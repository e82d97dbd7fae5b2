import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../support/databases.ts';
import { answerMessage, messageBody, openGatewayBed } from './gateway-bed.ts';

const db = useDatabase();

describe('requests that are sent before the response to an earlier one', () => {
  /** Opens a gateway whose provider doesn't respond before `answerAll` is called. */
  async function openSlow() {
    const held: (() => void)[] = [];
    let isSlow = true;
    const bed = await openGatewayBed(db(), {
      answer(request, response) {
        request.resume();
        if (isSlow) held.push(() => answerMessage(response));
        else answerMessage(response);
      },
    });
    const socket = connect(bed.socketPath).on('error', () => undefined);
    const head = `POST /anthropic/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${bed.token}\r\n`;
    const one = `${head}content-length: ${messageBody.length}\r\n\r\n${messageBody}`;
    const answerAll = () => {
      isSlow = false;
      for (const answer of held) answer();
    };
    return { ...bed, socket, one, held, answerAll };
  }

  it('close their connection if there are many, and are forgotten', async () => {
    const { socket, one, held, answerAll, gateway, runId, call } = await openSlow();
    const closed = new Promise((done) => socket.resume().on('close', done));
    socket.write(one.repeat(1_000));
    await closed;
    await gateway.whenIdle(runId);
    expect(held.length).toBeLessThanOrEqual(16);
    answerAll();
    expect((await call('/anthropic/v1/messages', { body: messageBody })).status).toBe(200);
  });

  it('are answered in order if there are few', async () => {
    const { socket, one, held, answerAll } = await openSlow();
    socket.write(one.repeat(19) + one.replace('host: x', 'host: x\r\nconnection: close'));
    await expect.poll(() => held.length).toBe(16);
    answerAll();
    expect((await text(socket)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(20);
  });

  it('end when the agent disconnects', async () => {
    const { socket, one, held, endedRows } = await openSlow();
    socket.write(one.repeat(3));
    await expect.poll(() => held.length).toBe(3);
    socket.destroy();
    const outcomes = (await endedRows()).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['canceled', 'canceled', 'canceled']);
  });
});
