import { describe, expect, it } from 'vitest';
import { choosePrompts } from '../../../src/slack/agent-pane/choose-prompts.ts';

const run = (prompt: string) => ({ title: `Title of ${prompt}`, prompt });
const messages = (recent: string[], presets: string[] = []) =>
  choosePrompts(
    recent.map(run),
    presets.map((name) => ({ name })),
  ).map(({ message }) => message);

describe('suggested prompts', () => {
  it('are the last prompts, each once, newest first', () => {
    expect(messages(['a', 'b', 'a ', 'c', 'd', 'e'])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('leave room for a preset', () => {
    expect(messages(['a', 'b', 'c', 'd'], ['Nightly', 'Other'])).toEqual([
      ...['a', 'b', 'c', 'preset="Nightly"'],
    ]);
    expect(messages(['a'], ['Nightly', 'nightly', 'Other'])).toHaveLength(3);
    expect(messages([], [])).toEqual([]);
  });

  it('are read as they are', () => {
    expect(messages(['env=web is broken', '--dry-run what'])).toEqual([
      ...['-- env=web is broken', '-- --dry-run what'],
    ]);
    expect(messages([], ['a " b'])).toEqual([]);
  });

  it('have short titles on one line', () => {
    const [suggested] = choosePrompts([{ title: `${'x'.repeat(200)}\n`, prompt: 'p' }], []);
    expect([...(suggested?.title ?? '')].length).toBeLessThan(75);
  });
});
