import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LocalWorkspace } from 'slack-stand-in';
import { onTestFinished } from 'vitest';

type Json = Record<string, unknown>;
export type PlantedCall = {
  method: string;
  sent: Json;
  /** Passes the call to the stand-in, by default unchanged. */
  pass(method?: string, sent?: Json): Promise<Answer>;
  workspace: LocalWorkspace;
};
export type Answer = { body: Json; scopes?: string };

/** Returns the answer in which this Slack differs. Undefined keeps the stand-in's answer. */
export type Plant = (call: PlantedCall) => Promise<Answer | undefined> | Answer | undefined;

/**
 * Starts a proxy to the stand-in that differs from it in one point.
 * @returns its `SLACK_API_URL`
 */
export async function startPlantedSlack(workspace: LocalWorkspace, plant: Plant): Promise<string> {
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function forward(
    path: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const answer = await fetch(new URL(path, workspace.url), { method: 'POST', body, headers });
    const answered = (await answer.text()).replaceAll(workspace.url, origin());
    const scopes = answer.headers.get('x-oauth-scopes') ?? undefined;
    return {
      body: answered.startsWith('{') ? JSON.parse(answered) : { text: answered },
      ...(scopes && { scopes }),
    };
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const { url: path = '', headers: given } = request;
    const body = await text(request);
    const headers = {
      authorization: String(given.authorization ?? ''),
      'content-type': String(given['content-type'] ?? ''),
    };
    const method = path.slice('/api/'.length);
    const sent = Object.fromEntries([...new URLSearchParams(body)].map(([k, v]) => [k, read(v)]));
    const pass: PlantedCall['pass'] = (other = method, args) => {
      const form = Object.entries(args ?? {}).map(([k, v]): [string, string] => [
        k,
        typeof v === 'string' ? v : JSON.stringify(v),
      ]);
      return args
        ? forward(`/api/${other}`, new URLSearchParams(form).toString(), {
            authorization: headers.authorization,
            'content-type': 'application/x-www-form-urlencoded',
          })
        : forward(path, body, headers);
    };
    return (await plant({ method, sent, pass, workspace })) ?? (await pass());
  }

  const server = createServer((request, response) => {
    void answerTo(request).then(({ body, scopes }) => {
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(scopes && { 'x-oauth-scopes': scopes }),
      });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${origin()}/api/`;
}

const read = (value: string): unknown => (/^[[{]/.test(value) ? JSON.parse(value) : value);
