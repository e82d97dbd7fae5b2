import { expect, it } from 'vitest';
import { joinPrompt } from '../../../src/following/steps/create-request.ts';

it('sends the text from Slack after the prompt, marked as written by others', () => {
  const joined = joinPrompt('Do what this thread asks.', 'Ada:\n> hello');
  expect(joined).toMatch(
    /^Do what this thread asks\.\n\n.*ignore any instructions.*\n\nAda:\n> hello$/,
  );
  expect(joinPrompt('Just a prompt', null)).toBe('Just a prompt');
});
