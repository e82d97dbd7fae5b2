import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Change, Changes } from '../lib/changes.ts';
import { sleep } from '../lib/sleep.ts';
import { type World, worldSchema } from './world.ts';

/** Reads the world of an earlier start; undefined if there's no file. Throws if the file contains something else. */
export function readStateFile(file: string): World | undefined {
  if (!existsSync(file)) return undefined;
  const hint = 'move it away to start from scratch';
  let saved: unknown;
  try {
    saved = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file} isn't JSON; ${hint}`, { cause });
  }
  const parsed = worldSchema.safeParse(saved);
  if (parsed.success) return parsed.data;
  throw new Error(`${file} isn't a saved workspace; ${hint}: ${z.prettifyError(parsed.error)}`);
}

/** Time to collect changes before they're written together, in ms. */
const coalesceMs = 250;

/**
 * Saves the world in a file. Writes a new file and renames it, so that the saved file is complete even after a crash.
 */
export class StateFile {
  readonly #file: string;
  readonly #world: World;
  readonly #changes: Changes;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #isDirty = true;
  #wake: () => void = () => {};

  constructor({ file, world, changes }: { file: string; world: World; changes: Changes }) {
    this.#file = file;
    this.#world = world;
    this.#changes = changes;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Writes the last changes and stops. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const end = this.#changes.subscribe((change) => this.#note(change));
    while (!this.#abort.signal.aborted) {
      await sleep(coalesceMs, this.#abort.signal);
      if (this.#isDirty) await this.#write();
      else await this.#nextChange();
    }
    end();
    if (this.#isDirty) await this.#write();
  }

  #note({ type }: Change): void {
    if (type === 'traffic' || type === 'socket' || type === 'modals') return;
    this.#isDirty = true;
    this.#wake();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#isDirty || this.#abort.signal.aborted) resolve();
    });
  }

  async #write(): Promise<void> {
    this.#isDirty = false;
    const temporary = `${this.#file}.${process.pid}.tmp`;
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(temporary, JSON.stringify(this.#world), { mode: 0o600 });
    await rename(temporary, this.#file);
  }
}
