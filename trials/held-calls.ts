import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between one replica and Slack's Web API, and can hold a call on its way, as a slow network does. */
export async function startHeldCalls(apiUrl: string) {
  let wanted: { method: string; caught: () => void } | undefined;
  let letGo: (() => void) | undefined;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const method = request.url?.replace(/^\/api\//, '') ?? '';
    if (wanted?.method === method) {
      const { caught } = wanted;
      wanted = undefined;
      const released = new Promise<void>((resolve) => {
        letGo = resolve;
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
    letGo?.();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}/api/`,
    /** Holds the next call of this method; resolves when there is one. */
    hold: (method: string) =>
      new Promise<void>((caught) => {
        wanted = { method, caught };
      }),
    /** Calls pass again; the one that is held goes on its way now. */
    release: () => {
      wanted = undefined;
      letGo?.();
    },
  };
}
