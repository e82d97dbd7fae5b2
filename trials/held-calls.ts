import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a proxy between one replica and Slack's Web API that can delay a call, like a slow network. */
export async function startHeldCalls(apiUrl: string) {
  let wanted: { method: string; caught: () => void } | undefined;
  let continueCall: (() => void) | undefined;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const method = request.url?.replace(/^\/api\//, '') ?? '';
    if (wanted?.method === method) {
      const { caught } = wanted;
      wanted = undefined;
      const released = new Promise<void>((resolve) => {
        continueCall = resolve;
      });
      caught();
      await released;
    }
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(apiUrl + method, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: Buffer.concat(chunks),
    });
    const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
    response.writeHead(answer.status, headers).end(await answer.text());
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    continueCall?.();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    /** Holds the next call of this method. Resolves when the call arrives. */
    hold: (method: string) =>
      new Promise<void>((caught) => {
        wanted = { method, caught };
      }),
    /** Lets the held call and all later ones pass. */
    release: () => {
      wanted = undefined;
      continueCall?.();
    },
  };
}
