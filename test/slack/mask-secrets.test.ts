import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../src/slack/mask-secrets.ts';
import { unmask } from '../../src/slack/prompt-context.ts';

// Put together here, so that no scanner takes this file for a leak.
const slackToken = ['xoxb', '1234567890', 'abcdefABCDEF'].join('-');
const githubToken = `ghp_${'a1B2'.repeat(9)}`;
const awsKey = `AKIA${'ABCD1234'.repeat(2)}`;
const pem = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIE', '-----END RSA PRIVATE KEY-----'].join('\n');

/** One made-up key of every format that is known by its beginning. */
const keys: [whose: string, key: string][] = [
  ['a Slack bot', slackToken],
  ['a Slack user, rotated', ['xoxe.xoxp', '1', 'Mi0yLTEyMzQ1Njc4'].join('-')],
  ['a Slack app', ['xapp', '1', 'A0123', '456', 'abcdef0123'].join('-')],
  ['a Slack workflow', ['xwfp', '123456', 'abcdef0123'].join('-')],
  ['a Slack webhook', ['https://hooks.slack.com', 'services', 'T0', 'B0', 'abcdef'].join('/')],
  ['GitHub', githubToken],
  ['GitHub, fine-grained', `github_pat_${'a1B2_'.repeat(6)}`],
  ['GitLab', `glpat-${'a1B2'.repeat(5)}`],
  ['a GitLab runner', `glrt-${'a1B2'.repeat(5)}`],
  ['AWS', awsKey],
  ['AWS, for a while', `ASIA${'ABCD1234'.repeat(2)}`],
  ['Google', `AIza${'a1B2c'.repeat(7)}`],
  ['Google OAuth', `ya29.${'a1B2c'.repeat(7)}`],
  ['a Google client', `GOCSPX-${'a1B2c'.repeat(5)}`],
  ['Stripe', `sk_live_${'a1B2'.repeat(6)}`],
  ['Stripe, restricted', `rk_test_${'a1B2'.repeat(6)}`],
  ['a Stripe webhook', `whsec_${'a1B2'.repeat(8)}`],
  ['Twilio', `SK${'0a1b'.repeat(8)}`],
  ['SendGrid', `SG.${'a1B2'.repeat(5)}.${'a1B2'.repeat(10)}`],
  ['Shopify', `shpat_${'0a1b'.repeat(8)}`],
  ['Square', `sq0atp-${'a1B2'.repeat(6)}`],
  ['Anthropic', `sk-ant-${'a1B2-'.repeat(6)}`],
  ['OpenAI', `sk-proj-${'a1B2_'.repeat(6)}x`],
  ['Hugging Face', `hf_${'a1B2'.repeat(9)}`],
  ['npm', `npm_${'a1B2'.repeat(9)}`],
  ['PyPI', `pypi-${'AgEI'.repeat(9)}`],
  ['RubyGems', `rubygems_${'0a1b'.repeat(12)}`],
  ['Docker Hub', `dckr_pat_${'a1B2'.repeat(7)}`],
  ['DigitalOcean', `dop_v1_${'0a1b'.repeat(16)}`],
  ['Databricks', `dapi${'0a1b'.repeat(8)}`],
  ['Vault', `hvs.${'a1B2'.repeat(6)}`],
  ['Atlassian', `ATATT3${'xFfG'.repeat(10)}`],
  ['Linear', `lin_api_${'a1B2'.repeat(10)}`],
  ['Grafana', `glsa_${'a1B2'.repeat(8)}_0a1b2c3d`],
  ['age', `AGE-SECRET-KEY-1${'QPZR'.repeat(15)}`],
  ['a Telegram bot', `123456789:AA${'a1B'.repeat(11)}`],
  ['a session', ['eyJhbGciOiJIUzI1', 'eyJzdWIiOiIxMjM0', 'c2lnbmF0dXJl'].join('.')],
];

describe('what looks like a secret', () => {
  it.each(keys)('a key of %s is masked, in a sentence and in quotes', (_, key) => {
    expect(maskSecrets(`see ${key} here`).text).toBe('see [masked secret 1] here');
    expect(maskSecrets(`{"key": "${key}"}`).text).toBe('{"key": "[masked secret 1]"}');
  });

  it.each([
    [`token ${slackToken}!`, 'token [masked secret 1]!'],
    [`use ${githubToken}`, 'use [masked secret 1]'],
    [`id=${awsKey} ok`, 'id=[masked secret 1] ok'],
    [`before\n${pem}\nafter`, 'before\n[masked secret 1]\nafter'],
    ['Authorization: Bearer abcdef123456', 'Authorization: [masked secret 1]'],
    ['curl -H "authorization: Basic dXNlcjpwYXNz"', 'curl -H "authorization: [masked secret 1]"'],
    ['Proxy-Authorization: Digest abcdef', 'Proxy-Authorization: [masked secret 1]'],
    ['Cookie: session=abcdef; a=b\nnext', 'Cookie: [masked secret 1]\nnext'],
    ['x-api-key: abcdef99', 'x-api-key: [masked secret 1]'],
    ['aws_secret_access_key = wJalrX/abc+def', 'aws_secret_access_key = [masked secret 1]'],
    ['AWS_SESSION_TOKEN=IQoJb3JpZ2lu', 'AWS_SESSION_TOKEN=[masked secret 1]'],
    ['client_secret: "abcdef99",', 'client_secret: "[masked secret 1]",'],
    ['redis://:hunter22@cache:6379', 'redis://:[masked secret 1]@cache:6379'],
    [`AccountKey=${'a1B2'.repeat(12)};`, 'AccountKey=[masked secret 1];'],
    [`x?sv=1&sig=${'a1B2'.repeat(8)}`, 'x?sv=1&sig=[masked secret 1]'],
    ['token: abcdef0123456789', 'token: [masked secret 1]'],
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
    'the token: it is missing',
    'cookies: two kinds',
    'SKU 12345 and sk-short',
    'private key rotation is due',
    'https://hooks.slack.com/ is down',
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
