import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../src/slack/configuration/run-defaults.ts';
import { mergeFormConfig } from '../../../src/slack/start-run/resolve-answers.ts';

const layers = [
  { origin: 'workspace defaults', config: { environment_id: 'web', model_id: 'small' } },
  { origin: 'your defaults', config: { model_id: 'large' } },
];
const preset = { origin: 'preset nightly', config: { model_id: 'huge', name: 'night' } };

describe('layers of defaults', () => {
  it('override earlier layers, and say where each value comes from', () => {
    expect(resolveConfig([...layers, preset])).toEqual({
      config: { environment_id: 'web', model_id: 'huge', name: 'night' },
      fields: {
        environment_id: 'workspace defaults',
        model_id: 'preset nightly',
        name: 'preset nightly',
      },
    });
  });
});

describe('the form over the defaults', () => {
  it.each([
    ['nothing shown', {}, 'large', 'your defaults'],
    ['unchanged', { model_id: 'large' }, 'large', 'your defaults'],
    ['changed', { model_id: 'tiny' }, 'tiny', 'typed'],
    ['emptied', { model_id: undefined }, undefined, undefined],
  ])('%s', (_, shown, model, origin) => {
    const resolved = mergeFormConfig(shown, layers, undefined);
    expect(resolved.config.model_id).toBe(model);
    expect(resolved.fields['model_id']).toBe(origin);
  });

  it.each([
    ['unchanged', { model_id: 'large' }, 'huge', 'preset nightly'],
    ['filled from the preset', { model_id: 'huge' }, 'huge', 'preset nightly'],
    ['changed', { model_id: 'tiny' }, 'tiny', 'typed'],
  ])('with a preset, %s', (_, shown, model, origin) => {
    const resolved = mergeFormConfig(shown, layers, preset);
    expect(resolved.config.model_id).toBe(model);
    expect(resolved.fields['model_id']).toBe(origin);
    expect(resolved.config).toMatchObject({ environment_id: 'web', name: 'night' });
  });
});
