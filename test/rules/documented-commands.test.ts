import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/bin/commands.ts';
import { commandsIn, findCommands } from '../documented/find-commands.ts';
import { notRun, pagesRunElsewhere, runElsewhere } from '../documented/others.ts';
import { steps } from '../documented/steps.ts';

const found = findCommands();
const tables = [steps, runElsewhere, notRun].map((table) => Object.keys(table));

describe('the commands of README and docs', () => {
  it('are found in blocks and in sentences, without comments and line breaks', () => {
    const page =
      'Type `npx a b`, or `npm`.\n\n  ```sh\n  one \\\n    --two   # why\n  three |\n    four\n  ```\n```yaml\nfive\n```\n';
    expect(commandsIn(page)).toEqual(['one --two', 'three | four', 'npx a b']);
    expect(found.length).toBeGreaterThan(90);
  });

  it('are each run by a test, or listed with the reason why none runs them', () => {
    expect(found.filter((command) => !tables.flat().includes(command))).toEqual([]);
  });

  it('are listed once, and only while a page has them', () => {
    const listed = tables.flat();
    expect(listed.filter((command, at) => listed.indexOf(command) !== at)).toEqual([]);
    expect(listed.filter((command) => !found.includes(command))).toEqual([]);
  });

  it('are run where the list says', () => {
    const wrong = [...Object.values(runElsewhere), ...Object.values(pagesRunElsewhere)].filter(
      ({ file, words }) => {
        const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
        return !text.includes(words);
      },
    );
    expect(wrong).toEqual([]);
  });

  it('name only commands of slash-agent that exist', () => {
    const named = found.flatMap((line) => /npx slash-agent ([a-z][\w-]*)/.exec(line)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !Object.hasOwn(commands, name))).toEqual([]);
  });
});
