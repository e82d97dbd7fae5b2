import { readFileSync } from 'node:fs';
import { ExplainedError } from 'base/explained-error';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commands, runCommand } from '../src/bin/commands.ts';

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()) });

/** Runs `slash-agent` with these arguments. Returns its output. */
async function printedBy(...words: string[]): Promise<string> {
  let printed = '';
  await runCommand(words, (text) => {
    printed += text;
  });
  return printed;
}

describe('slash-agent', () => {
  it.each(Object.keys(commands))('%s prints how to use it', async (name) => {
    for (const option of ['--help', '-h']) {
      const printed = await printedBy(name, option);
      expect(printed).toMatch(/^Usage:/);
      expect(printed).toContain(`slash-agent ${name}`);
    }
  });

  it('lists every command for --help, for none, and for one that does not exist', async () => {
    const names = Object.keys(commands);
    const list = await printedBy('--help');
    for (const name of names) expect(list).toContain(`\n  ${name} `);
    for (const words of [[], ['no-such-command'], ['toString']]) {
      const rejected = runCommand(words, () => {});
      await expect(rejected).rejects.toThrow(ExplainedError);
      await expect(rejected).rejects.toThrow(list.trimEnd());
    }
  });

  it('is what each command of npm calls, with the same words', () => {
    const { scripts } = packageSchema.parse(
      JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
    );
    // `run-one` isn't in the help, because only schedulers call it.
    const names = Object.keys(commands).filter((name) => name !== 'run-one');
    for (const name of names) expect(scripts[name]).toBe(`exec node bin/slash-agent.js ${name}`);
  });
});
