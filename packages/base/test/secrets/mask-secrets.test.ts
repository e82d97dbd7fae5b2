import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../src/secrets/mask-secrets.ts';
import { keyFormats } from '../../src/secrets/secret-patterns.ts';

// The parts are joined here, so that scanners don't report this file as a leak.
const slackToken = ['xoxb', '1234567890', 'abcdefABCDEF'].join('-');
const githubToken = `ghp_${'a1B2'.repeat(9)}`;
const awsKey = `AKIA${'ABCD1234'.repeat(2)}`;
const pem = ['-----BEGIN RSA PRIVATE KEY-----', 'MIIE', '-----END RSA PRIVATE KEY-----'].join('\n');

/** Invented keys, one for each format with a known prefix. */
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
  ['Discord', `https://discord.com/api/webhooks/123456789012345678/${'a1B_'.repeat(17)}`],
  [
    'Teams',
    `https://acme.webhook.office.com/webhookb2/${'0a1b-'.repeat(8)}@0a1b/IncomingWebhook/0a`,
  ],
  ['a GitLab token of today', `glpat-${'a1B2'.repeat(7)}.01.0a1b2c3d4`],
  ['Google, to refresh', `1//0${'a1B2_'.repeat(10)}`],
  ['Azure', `abc8Q~${'a1B2'.repeat(8)}`],
  ['Stripe, of an organisation', `sk_org_live_${'a1B2'.repeat(6)}`],
  ['Mailgun', `key-${'0a1b'.repeat(8)}`],
  ['Mailchimp', `${'0a1b'.repeat(8)}-us12`],
  ['OpenAI, the first format', `sk-${'a1B2'.repeat(12)}`],
  ['an account of OpenAI', `sk-svcacct-${'a1B2'.repeat(8)}`],
  ['a proxy of models', `sk-${'a1B_'.repeat(5)}x-Y`],
  ['Groq', `gsk_${'a1B2'.repeat(13)}`],
  ['Replicate', `r8_${'a1B2'.repeat(9)}`],
  ['xAI', `xai-${'a1B2'.repeat(20)}`],
  ['Perplexity', `pplx-${'a1B2'.repeat(12)}`],
  ['NuGet', `oy2${'a1b2'.repeat(10)}abc`],
  ['Artifactory', `AKCp${'a1B2'.repeat(17)}`],
  ['Terraform', `${'a1B2'.repeat(3)}xy.atlasv1.${'a1B2'.repeat(16)}`],
  ['Fly.io', `FlyV1 fm2_${'a1B2'.repeat(12)}`],
  ['Pulumi', `pul-${'0a1b'.repeat(10)}`],
  ['Supabase', `sbp_${'0a1b'.repeat(10)}`],
  ['SonarQube', `squ_${'0a1b'.repeat(10)}`],
  ['Buildkite', `bkua_${'0a1b'.repeat(10)}`],
  ['PlanetScale', `pscale_tkn_${'a1B_'.repeat(10)}`],
  ['Doppler', `dp.pt.${'a1B2'.repeat(11)}`],
  ['CircleCI', `CCIPAT_${'a1B2'.repeat(5)}_${'0a1b'.repeat(10)}`],
  ['Sentry', `sntryu_${'0a1b'.repeat(16)}`],
  ['Notion', `ntn_${'a1B2'.repeat(11)}`],
  ['Notion, the first format', `secret_${'a1B2'.repeat(10)}abc`],
  ['Figma', `figd_${'a1B_'.repeat(10)}`],
  ['Airtable', `pat${'a1B2'.repeat(3)}xy.${'0a1b'.repeat(16)}`],
  ['Postman', `PMAK-${'0a1b'.repeat(6)}-${'0a1b'.repeat(8)}0a`],
  ['New Relic', `NRAK-${'A1B2'.repeat(6)}ABC`],
  ['a Discord bot', `MTIz${'a1B2'.repeat(5)}.Ga1B2c.${'a1B_'.repeat(9)}ab`],
  ['Azure DevOps', `${'a1B2'.repeat(19)}AZDOa1B2`],
  ['Asana', `2/1201234567890123/1209876543210987:${'0a1b'.repeat(8)}`],
  ['Asana, the first format', `0/123456789012345:${'0a1b'.repeat(8)}`],
  ['LaunchDarkly', `sdk-${'0a1b'.repeat(2)}-0a1b-4a1b-8a1b-${'0a1b'.repeat(3)}`],
  ['LaunchDarkly, of an app', `mob-${'0a1b'.repeat(2)}-0a1b-4a1b-8a1b-${'0a1b'.repeat(3)}`],
  ['PagerDuty', `pdus+_${'a1B2_'.repeat(6)}x`],
  ['an encrypted session', ['eyJhbGciOiJkaXIi', '', 'aXYxMjM0', 'Y2lwaGVy', 'dGFn'].join('.')],
  ['a session', ['eyJhbGciOiJIUzI1', 'eyJzdWIiOiIxMjM0', 'c2lnbmF0dXJl'].join('.')],
];

describe('masking', () => {
  it.each(keys)('masks a key of %s, in a sentence and in quotes', (_, key) => {
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
    [
      `http://runs/session/${'a1B_'.repeat(10)}xyz/files/1`,
      'http://runs/session/[masked secret 1]/files/1',
    ],
    [
      `/artifacts/1?expires=1&signature=${'a1B2'.repeat(10)}`,
      '/artifacts/1?expires=1&signature=[masked secret 1]',
    ],
    ['token: abcdef0123456789', 'token: [masked secret 1]'],
    ['postgres://app:hunter22@db/x', 'postgres://app:[masked secret 1]@db/x'],
    ['DB_PASSWORD=hunter22 and', 'DB_PASSWORD=[masked secret 1] and'],
    ['{"api_key": "abcdef99"}', '{"api_key": "[masked secret 1]"}'],
    ['"password": "hunter two 22", "a"', '"password": "[masked secret 1]", "a"'],
    ["password => 'hunter22'", "password => '[masked secret 1]'"],
    ['PGPASSWORD=hunter22 psql', 'PGPASSWORD=[masked secret 1] psql'],
    ['DB_PASS=hunter22', 'DB_PASS=[masked secret 1]'],
    ['GITHUB_TOKEN=abcdefghijklmnop', 'GITHUB_TOKEN=[masked secret 1]'],
    ['VERCEL_TOKEN: abcdefghijklmnop', 'VERCEL_TOKEN: [masked secret 1]'],
    ['//r.example/:_authToken=abcdefgh', '//r.example/:_authToken=[masked secret 1]'],
    ['_auth=dXNlcjpwYXNz', '_auth=[masked secret 1]'],
    ['--password hunter22 --host db', '--password [masked secret 1] --host db'],
    ['mysql -u root -phunter22 shop', 'mysql -u root -p[masked secret 1] shop'],
    ['mysql -h db --port 3306 -phunter22', 'mysql -h db --port 3306 -p[masked secret 1]'],
    ["mysqldump -p'hunter22' shop > a", "mysqldump -p'[masked secret 1]' shop > a"],
    ['x --token=abcdefgh1', 'x --token=[masked secret 1]'],
    ['curl -s -u ada:hunter22 https://a', 'curl -s -u ada:[masked secret 1] https://a'],
    [`https://${'0a1b'.repeat(8)}@o1.ingest.io/2`, 'https://[masked secret 1]@o1.ingest.io/2'],
    [
      `git clone https://x:${'a1B'.repeat(90)}@b.org`,
      'git clone https://x:[masked secret 1]@b.org',
    ],
    [
      `https://maps.example/?key=${'a1B2'.repeat(8)}`,
      'https://maps.example/?key=[masked secret 1]',
    ],
    [`PuTTY-User-Key-File-2: rsa\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: 0a1b`, '[masked secret 1]'],
    [pem.replaceAll('-----', '----').replaceAll('KEY----', 'KEY ----'), '[masked secret 1]'],
    [
      `${githubToken} ${githubToken} ${awsKey}`,
      '[masked secret 1] [masked secret 1] [masked secret 2]',
    ],
  ])('masks %j', (text, masked) => {
    expect(maskSecrets(text).text).toBe(masked);
    // A title can come from a prompt that was masked before.
    expect(maskSecrets(masked)).toEqual({ text: masked, masked: 0 });
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
    '0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5f',
    `registry:5000/app@sha256:${'0a1b2c3d'.repeat(8)}`,
    `data:image/png;base64,iVBORw0KGgo${'AAAA'.repeat(100)}`,
    '/usr/lib/node_modules/some-very-long-name/of-a-directory/index.ts',
    'https://unpkg.com/react@18.2.0 and https://medium.com/@ada/a-story',
    'ssh://git@github.com/acme/shop.git',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'branch sk-1234-fix-the-login-page-on-mobile',
    'API_KEY=$API_KEY, or api_key: {{ secrets.API_KEY }}',
    'token: process.env.GITHUB_TOKEN and password = readPassword();',
    'Authorization: Bearer $TOKEN',
    'password: ******** and API_KEY=<your key>',
    'PWD=/home/ada/shop',
    'the cookie: it was delicious',
    'mysql -u root -p shop',
    'mysql -u root -p -h db; mkdir -p/tmp/x',
    'mysql --protocol=tcp --port=3306',
    'mysql is slow here -presumably since noon',
    'com.example.checkout.OrderService.Names.IntegrationTest.java',
    'Message-Id: NDk4ODg5.abc@mail.example.com, see MANIFEST.MF.and.others',
    'sdk-tools-linux-4333796 and api-v2-users-list',
    'on 2/12 at 10:30, room 0/1',
    'pdf_export_of_the_whole_report_2026 is slow',
    '',
  ])('%j is left as it is', (text) => {
    expect(maskSecrets(text)).toEqual({ text, masked: 0 });
  });

  // With quadratic matching, each of these texts would take minutes.
  it.each([
    'eyJaaaaaaaa-',
    'authorization: ',
    'a://a:',
    '"password": "',
    'curl -u a',
    'mysql -u a ',
    'pdus_',
    '-----BEGIN ',
  ])('takes linear time for a megabyte of %j', (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(maskSecrets(text).text.length).toBeGreaterThan(0);
  });

  it('masks the whole of a secret that has another one in it', () => {
    const text = `password: "key ${githubToken} and more"`;
    expect(maskSecrets(text)).toEqual({ text: 'password: "[masked secret 1]"', masked: 1 });
  });

  it('continues the numbers of another text of the same prompt', () => {
    expect(maskSecrets(awsKey, 3).text).toBe('[masked secret 4]');
  });
});

it('all key formats can be searched for at once', () => {
  expect(new Set(keyFormats.map(({ flags }) => flags))).toEqual(new Set(['g']));
  // Patterns can't refer to groups by number, because joining patterns changes the numbers.
  expect(keyFormats.filter(({ source }) => /\\(?:[1-9]|k<)/.test(source))).toEqual([]);
});
