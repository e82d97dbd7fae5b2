import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../src/slack/mask-secrets.ts';
import { unmask } from '../../src/slack/prompt-context.ts';

// Put together here, so that no scanner takes this file for a leak.
const slackToken = ['xoxb', '1234567890', 'abcdefABCDEF'].join('-');
const githubToken = `ghp_${'a1B2'.repeat(9)}`;
const awsKey = `AKIA${'ABCD1234'.repeat(2)}`;
const pem = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIE', '-----END RSA PRIVATE KEY-----'].join('\n');

describe('what looks like a secret', () => {
  it.each([
    [`token ${slackToken}!`, 'token [masked secret 1]!'],
    [`use ${githubToken}`, 'use [masked secret 1]'],
    [`id=${awsKey} ok`, 'id=[masked secret 1] ok'],
    [`before\n${pem}\nafter`, 'before\n[masked secret 1]\nafter'],
    ['Authorization: Bearer abcdef123456', 'Authorization: [masked secret 1]'],
    ['curl -H "authorization: Basic dXNlcjpwYXNz"', 'curl -H "authorization: [masked secret 1]"'],
    ['postgres://app:hunter22@db/x', 'postgres://app:[masked secret 1]@db/x'],
    ['DB_PASSWORD=hunter22 and', 'DB_PASSWORD=[masked secret 1] and'],
    ['{"api_key": "abcdef99"}', '{"api_key": "[masked secret 1]"}'],
    [
      `${githubToken} ${githubToken} ${awsKey}`,
      '[masked secret 1] [masked secret 1] [masked secret 2]',
    ],
  ])('%j is masked', (text, masked) => {
    const result = maskSecrets(text);
    expect(result.text).toBe(masked);
    expect(unmask(result.text, result.secrets)).toBe(text);
  });

  it.each([
    'the password field is empty',
    'see https://example.com:8080/path@x',
    'a token of appreciation',
    'commit 3f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70',
    'AKIA is a prefix',
    '',
  ])('%j is left as it is', (text) => {
    expect(maskSecrets(text)).toEqual({ text, secrets: {} });
  });

  it('numbers on where an earlier text of the same form stopped', () => {
    expect(maskSecrets(awsKey, 3).text).toBe('[masked secret 4]');
  });
});
