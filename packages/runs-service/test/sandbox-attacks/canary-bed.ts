import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readEnvironments } from '../../src/environments/read-environments.ts';
import type { RunsServiceOptions } from '../../src/service-options.ts';
import { createRepository, startRunsService, temporaryFolder } from '../support/runs-service.ts';

/** Pattern of the keys. It doesn't match itself, so that an agent doesn't find its own search. */
const keyPattern = 'sk-canar[y]-[0-9a-f]{32}';

const usage = { input_tokens: 10, output_tokens: 5 };
const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', usage },
  ...{ content: [{ type: 'text', text: 'Herons fly.' }], stop_reason: 'end_turn' },
};

/**
 * Starts a model provider that repeats the key that it got, as real ones do in parts: in headers, and in the body if
 * the prompt asks for an error.
 */
async function startProvider() {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen.push(request.headers);
    const key = String(request.headers['x-api-key']);
    const status = Number(/"status (\d+)"/.exec(body)?.[1] ?? 200);
    const error = { type: 'authentication_error', message: `invalid x-api-key: ${key}` };
    response.writeHead(status, { 'content-type': 'application/json', 'x-debug-key': key });
    response.end(JSON.stringify(status === 200 ? message : { type: 'error', error }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const call = (content: string) => `curl -sS -i --max-time 20 "$ANTHROPIC_BASE_URL/v1/messages" \\
  -H "x-api-key: $ANTHROPIC_API_KEY" -H 'anthropic-version: 2023-06-01' -H 'content-type: application/json' \\
  -d '{"model":"claude-sonnet-4-5","max_tokens":50,"messages":[{"role":"user","content":"${content}"}]}'`;

/** Reads places whose content could be the key, and prints their names and content. Never fails. */
const places: Record<string, string> = {
  'its environment': 'env',
  'the environments of all processes': "cat /proc/[0-9]*/environ | tr '\\0' '\\n'",
  'the arguments of all processes': "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'",
  'the answer of the model': call('Hello'),
  'the answer of a model that rejects the key': call('status 401'),
  'the answer of a model with another error': call('status 400'),
  'the answer of a model that is down': call('status 500'),
  'answers of the gateway': `for path in "" anthropic anthropic/v1/models %2e%2e/x; do
    curl -sS -i --max-time 5 --path-as-is "\${ANTHROPIC_BASE_URL%/anthropic}/$path"; done`,
  'answers of the proxy': `curl -sS -i --max-time 5 -x "$HTTP_PROXY" --noproxy "" "$ANTHROPIC_BASE_URL/v1/models"
    curl -sS -i --max-time 5 --noproxy "*" "$HTTP_PROXY/"
    curl -sS -i --max-time 5 --noproxy "*" -X TRACE "$HTTP_PROXY/"`,
};

/** Searches all files that the agent sees, apart from the machine's own programs. */
const files = `find / \\( -path /proc -o -path /sys -o -path /dev -o -path /usr -o -path /bin -o -path /lib -o -path /lib64 -o -path /sbin \\) -prune \\
  -o -type f -size -20M -print0 2>/dev/null | xargs -0 -r grep -lEa '${keyPattern}'`;

/** Shell script that prints FOUND for each place with a key, and at the end what the model answered. */
function searchOf(isSearchingFiles: boolean): string {
  const searches = Object.entries(places).map(
    ([name, command]) =>
      `if (${command}) 2>&1 </dev/null | grep -qEa '${keyPattern}'; then echo 'FOUND in ${name}'; fi`,
  );
  return [
    ...searches,
    ...(isSearchingFiles
      ? [`for file in $(${files}); do echo "FOUND in the file $file"; done`]
      : []),
    call('Hello'),
    'echo "searched everything"',
  ].join('\n');
}

/** Returns the lines of an agent's output that name a place with the key. */
export const foundIn = (output: string): string[] => output.match(/^FOUND in .*$/gm) ?? [];

/** Starts a service with one environment, whose agent searches for the model's key. */
export async function startCanaryBed(
  environment: object,
  handedOver: 'through the gateway' | 'the old way' = 'through the gateway',
  options: Pick<RunsServiceOptions, 'kubeconfig'> = {},
) {
  const provider = await startProvider();
  const key = `sk-canary-${randomBytes(16).toString('hex')}`;
  const folder = temporaryFolder();
  const keyFile = join(folder, 'secrets/anthropic');
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(keyFile, key, { mode: 0o600 });
  const file = join(folder, 'environments.yml');
  const isOld = handedOver === 'the old way';
  const one = {
    id: 'canary',
    repositories: [{ url: createRepository({ 'notes.txt': 'one\n' }) }],
    command: ['sh'],
    ...(isOld ? { secret_files: { ANTHROPIC_API_KEY: keyFile } } : { models: ['anthropic'] }),
    ...environment,
  };
  const anthropic = {
    api: 'anthropic',
    key_file: keyFile,
    base_url: provider.url,
    allow_private: true,
  };
  writeFileSync(
    file,
    JSON.stringify({ environments: [one], ...(!isOld && { models: { anthropic } }) }),
  );
  const service = await startRunsService({ environments: readEnvironments(file), ...options });
  let conversation: string | undefined;

  return {
    key,
    /** Headers of the calls that the provider got. */
    calls: provider.seen,
    /** Searches in a run, which continues the conversation of the one before. Returns what the agent printed. */
    async search({ isWithoutSandbox = false } = {}): Promise<string> {
      const id = await service.begin({
        prompt: searchOf(!isWithoutSandbox),
        ...(conversation !== undefined && { conversation_id: conversation }),
      });
      const run = await service.until(id, 'SUCCEEDED', 'FAILED');
      conversation = run.conversation_id ?? undefined;
      const output = join(service.dataDir, 'transcripts', id, 'output.log');
      return `${readFileSync(output, 'utf8')}\n${run.status_message?.message ?? ''}`;
    },
    /** Returns the files of the service that contain the key: memory, outputs, patches and the database. */
    filesWithKey: (): string => {
      const find = ['-rlaF', key, service.dataDir];
      try {
        return execFileSync('grep', find, { encoding: 'utf8' });
      } catch {
        return '';
      }
    },
  };
}
