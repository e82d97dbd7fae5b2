import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { sleep } from 'base/sleep';
import { onTestFinished } from 'vitest';

/** One replica: a real bot process that restarts whenever it exits, as under a supervisor. */
export class BotProcess {
  readonly #program: string;
  readonly #environment: Record<string, string>;
  readonly #log: string;
  readonly #over = new AbortController();
  readonly #killed = new WeakSet<ChildProcess>();
  #child: ChildProcess | undefined;
  #supervised: Promise<void> | undefined;
  /** Number of exits without a kill. */
  endedAlone = 0;

  constructor(program: string, environment: Record<string, string>, log = '/dev/null') {
    this.#program = program;
    this.#environment = environment;
    this.#log = log;
  }

  /** Keeps the replica running until the test ends. */
  start(): void {
    this.#supervised ??= this.#supervise();
    onTestFinished(() => this.stop());
  }

  async stop(): Promise<void> {
    this.#over.abort();
    this.signal('SIGCONT');
    this.signal('SIGKILL');
    await this.#supervised;
  }

  /** Ends the replica without a restart, as a deploy does. It must exit with code 0. */
  async retire(): Promise<void> {
    this.#over.abort();
    const child = this.#child;
    if (child) this.#killed.add(child);
    child?.kill('SIGTERM');
    await this.#supervised;
    if (child && child.exitCode !== 0) this.endedAlone += 1;
  }

  /** @returns true if there was a process to signal */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
    if (this.#child && signal === 'SIGKILL') this.#killed.add(this.#child);
    return this.#child?.kill(signal) ?? false;
  }

  async #supervise(): Promise<void> {
    const log = openSync(this.#log, 'a');
    while (!this.#over.signal.aborted) {
      const { PATH = '' } = process.env;
      const child = spawn(process.execPath, [this.#program, 'start'], {
        env: { PATH, ...this.#environment },
        cwd: '/',
        stdio: ['ignore', log, log],
      });
      this.#child = child;
      await once(child, 'exit');
      if (!this.#killed.has(child)) this.endedAlone += 1;
      await sleep(200, this.#over.signal);
    }
    closeSync(log);
  }
}
