import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerRequest, Run } from 'runs-client/contract';
import { expect, vi } from 'vitest';
import { bundleSlashAgent } from '../../../base/test/support/bundle.ts';
import { clientOf, testKey } from '../support/runs-service.ts';
import { collect } from '../support/serve-runs.ts';

/** Command prefix that runs as an unprivileged user, which works on every Linux. */
export const asOtherUser = ['unshare', '--user', '--map-user=1', '--map-group=1'];

/** Starts `slash-agent runs-service` with this environments file, as a user who isn't root. */
export async function startAgentService(environmentsFile: object, agents: string) {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  mkdirSync(join(folder, 'data'));
  const file = join(folder, 'environments.yml');
  writeFileSync(file, JSON.stringify(environmentsFile));
  const isRoot = process.getuid?.() === 0;
  const node = [process.execPath, bundleSlashAgent(), 'runs-service'];
  const [program = '', ...args] = isRoot ? [...asOtherUser, ...node] : node;
  const child = spawn(program, args, {
    cwd: '/',
    env: {
      PATH: `${join(agents, 'node_modules/.bin')}:${process.env['PATH']}`,
      RUNS_SERVICE_ALLOW_ROOT: 'true',
      RUNS_SERVICE_ENVIRONMENTS: file,
      RUNS_SERVICE_KEYS: `ada:all=${testKey}`,
      RUNS_SERVICE_PORT: '0',
      RUNS_SERVICE_CONCURRENCY: '4',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      DATA_DIR: join(folder, 'data'),
    },
  });
  const log = collect(child);
  process.once('exit', () => child.kill('SIGKILL'));
  await vi.waitFor(() => expect(log()).toContain('"apiUrl"'), { timeout: 20_000 });
  const client = clientOf(/"apiUrl":"([^"]+)"/.exec(log())?.[1] ?? '');
  async function resultOf(run: Run): Promise<FinishedRun> {
    const of = (name: string) => {
      const path = join(folder, 'data', 'transcripts', run.run_id, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    };
    const page = run.session_link ? await (await fetch(run.session_link)).text() : '';
    return { run, page, output: of('output.log'), patch: of('changes.patch') };
  }
  return {
    ...client,
    resultOf,
    answer: (id: string, answer: AnswerRequest) =>
      client.request(`/agent/runs/${id}/answers`, {
        method: 'POST',
        body: JSON.stringify(answer),
        headers: { 'content-type': 'application/json' },
      }),
    cancel: (id: string) => client.request(`/agent/runs/${id}/cancel`, { method: 'POST' }),
    /** Starts a run and waits for its end. */
    async finish(body: object): Promise<FinishedRun> {
      const id = await client.begin(body);
      return resultOf(await client.until(id, 'SUCCEEDED', 'FAILED', 'CANCELLED'));
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type FinishedRun = {
  run: Run;
  /** HTML of the session page. */
  page: string;
  output: string;
  patch: string;
};

export type AgentService = Awaited<ReturnType<typeof startAgentService>>;
