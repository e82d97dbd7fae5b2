import { parseEnv } from 'node:util';
import { ExplainedError } from 'base/explained-error';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replacing, withSettings } from '../../src/setup/env-file.ts';

const before = `# The bot
SLACK_BOT_TOKEN=
#RUNS_SERVICE=embedded
export MINE="two
lines" # a comment

RUNS_API_URL=https://old.example/api/v1
RUNS_API_URL=https://runs.example/api/v1`;

describe('changed settings', () => {
  it('are written where they are or were described, and leave everything else', () => {
    const changes = { SLACK_BOT_TOKEN: 'xoxb-1', RUNS_SERVICE: 'embedded', NEW: 'a b' };
    expect(withSettings(before, changes)).toBe(`# The bot
SLACK_BOT_TOKEN=xoxb-1
#RUNS_SERVICE=embedded
RUNS_SERVICE=embedded
export MINE="two
lines" # a comment

RUNS_API_URL=https://old.example/api/v1
RUNS_API_URL=https://runs.example/api/v1
NEW='a b'
`);
  });

  it('become comments when they are turned off', () => {
    const after = withSettings(before, { RUNS_API_URL: undefined, NEVER_SET: undefined });
    expect(after).toContain('\n# RUNS_API_URL=https://runs.example/api/v1');
    expect(parseEnv(after)).toEqual({ SLACK_BOT_TOKEN: '', MINE: 'two\nlines' });
  });

  it('are rejected if a line can only be changed together with others', () => {
    const rejected = () => withSettings(before, { MINE: 'one line' });
    expect(rejected).toThrow(ExplainedError);
    expect(rejected).toThrow('Set these by hand: MINE');
  });

  it('are read as they were given, whatever the file has, or are rejected', () => {
    const name = fc.constantFrom('A', 'B', 'SLACK_BOT_TOKEN');
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('$&', "it's", '#1', '"', '`', ' x ', 'a\nb'),
    );
    const text = fc.array(
      fc.oneof(
        fc.string(),
        fc.tuple(name, value).map((pair) => pair.join('=')),
      ),
    );
    fc.assert(
      fc.property(text, name, value, (lines, changed, given) => {
        const file = lines.map((line) => `${line}\n`).join('');
        let after: string;
        try {
          after = withSettings(file, { [changed]: given });
        } catch (error) {
          expect(error).toBeInstanceOf(ExplainedError);
          return;
        }
        expect({ ...parseEnv(after) }).toEqual({ ...parseEnv(file), [changed]: given });
      }),
    );
  });

  it('take the place of a file with the secret', () => {
    const known = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_BOT_TOKEN_FILE: '/run/secrets/token' };
    expect(replacing(known, 'SLACK_BOT_TOKEN', 'xoxb-1')).toEqual({});
    expect(replacing(known, 'SLACK_BOT_TOKEN', 'xoxb-2')).toEqual({
      SLACK_BOT_TOKEN: 'xoxb-2',
      SLACK_BOT_TOKEN_FILE: undefined,
    });
  });
});
