import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundle } from '../../../base/test/support/bundle.ts';
import type { ModelApi } from '../../src/environments/models-config.ts';
import type { Recorded } from './model-server/model-server.ts';
import type { Script } from './model-server/script.ts';

export type ModelHost = {
  /** Returns the URL below which the APIs are. */
  urlOf(script: string): string;
  /** Returns the settings with which a provider in an environments file has this model. */
  providerOf(script: string, api: ModelApi): { base_url: string; allow_private: true };
  /** Value of `network` with which an environment's agents reach the model. */
  network: string[] | 'all';
  play(script: string, turns: Script): Promise<void>;
  requestsOf(script: string): Promise<{ recorded: Recorded[]; unknown: string[] }>;
  stop(): Promise<void>;
};

const port = 8080;

/**
 * Starts the scripted model server. As root, it has its own network address, so that agents reach it like a host in the
 * operator's network. Their environment lists its name in `network`. Otherwise it listens on the loopback address,
 * which only `network: all` reaches.
 */
export async function startModelHost(): Promise<ModelHost> {
  const isRoot = process.getuid?.() === 0;
  const node = [process.execPath, bundle('packages/runs-service/test/agents/model-server/main.ts')];
  const subnet = `10.213.${process.pid % 250}`;
  const [program = '', ...args] = isRoot
    ? ['unshare', '--net', ...node, '0.0.0.0', String(port)]
    : [...node, '127.0.0.1', '0'];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const listening = /listening on (\d+)/.exec(line.toString())?.[1] ?? '';
  if (isRoot) connectTo(child, subnet);
  const origin = isRoot ? `http://${subnet}.2:${port}` : `http://127.0.0.1:${listening}`;
  return {
    urlOf: (script) => `${origin}/${script}`,
    providerOf: (script, api) => ({
      base_url: `${origin}/${script}${api === 'openai' ? '/v1' : ''}`,
      allow_private: true,
    }),
    network: isRoot ? [`${subnet}.2:${port}`] : 'all',
    async play(script, turns) {
      await fetch(`${origin}/scripts/${script}`, { method: 'PUT', body: JSON.stringify(turns) });
    },
    async requestsOf(script) {
      const answer = await fetch(`${origin}/scripts/${script}`);
      return (await answer.json()) as { recorded: Recorded[]; unknown: string[] };
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** Connects the namespace to this machine with a pair of network devices, which disappear when the process ends. */
function connectTo({ pid }: ChildProcess, subnet: string): void {
  const [here, there] = [`model${process.pid}`, 'model'];
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
  const inside = (...args: string[]) =>
    execFileSync('nsenter', [`--target=${pid}`, '--net', 'ip', ...args], { stdio: 'pipe' });
  ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', String(pid));
  ip('addr', 'add', `${subnet}.1/30`, 'dev', here);
  ip('link', 'set', here, 'up');
  inside('addr', 'add', `${subnet}.2/30`, 'dev', there);
  inside('link', 'set', there, 'up');
}
