import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultSchema } from '../src/faults/faults.ts';
import { chooseReadings } from '../src/readings.ts';
import { seedWorld } from '../src/world/seed.ts';
import { testManifest } from './support/manifest.ts';

const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const missing = (names: readonly string[]) => names.filter((name) => !text.includes(`\`${name}\``));

describe('the page of differences', () => {
  it('names every reading that an option changes', () => {
    const page = readFileSync(new URL('../DIFFERENCES.md', import.meta.url), 'utf8');
    const options = Object.keys(chooseReadings({}, testManifest));
    expect(options.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});

describe('the README', () => {
  it('names every fault', () => {
    expect(missing(faultSchema.options.map(({ shape }) => shape.name.value))).toEqual([]);
  });

  it("names the people and channels of the app's workspace and its guests from elsewhere", () => {
    const { people, channels, teams } = seedWorld('an app');
    const home = teams[0]?.id;
    const shown = channels.filter(({ teamId }) => teamId === home);
    const known = new Set(shown.flatMap(({ memberIds }) => memberIds));
    expect(missing(people.filter(({ id }) => known.has(id)).map(({ id }) => id))).toEqual([]);
    expect(missing(shown.flatMap(({ id, name }) => [id, `#${name}`]))).toEqual([]);
    expect(shown.length).toBeGreaterThan(5);
  });
});
