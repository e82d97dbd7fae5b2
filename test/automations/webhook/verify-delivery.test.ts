import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type WebhookSender, webhookSenders } from '../../../src/automations/automation.ts';
import {
  createWebhookSecret,
  keyOfSecret,
  secretProblem,
} from '../../../src/automations/webhook/senders.ts';
import { verifyDelivery } from '../../../src/automations/webhook/verify-delivery.ts';

type Example = {
  /** Where the sender publishes the example, or how to sign if it publishes none. */
  source: string;
  secret: string;
  body: string;
  headers: Record<string, string>;
  at?: number;
};

const sign = (secret: string | Buffer, body: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac('sha256', secret).update(body).digest(encoding);

const standardTime = 1_614_265_330;

/** Body of the test of PagerDuty's client. */
const pagerdutyBody =
  '{"event":{"id":"01BWDWL3NYY7LUFPZCC28QUCMK","event_type":"incident.priority_updated","resource_type":"incident","occurred_at":"2021-04-26T17:36:27.458Z","agent":{"html_url":"https://acme.pagerduty.com/users/PLH1HKV","id":"PLH1HKV","self":"https://api.pagerduty.com/users/PLH1HKV","summary":"Tenex Engineer","type":"user_reference"},"client":null,"data":{"id":"PGR0VU2","type":"incident","self":"https://api.pagerduty.com/incidents/PGR0VU2","html_url":"https://acme.pagerduty.com/incidents/PGR0VU2","number":2,"status":"triggered","title":"A little bump in the road","service":{"html_url":"https://acme.pagerduty.com/services/PF9KMXH","id":"PF9KMXH","self":"https://api.pagerduty.com/services/PF9KMXH","summary":"API Service","type":"service_reference"},"assignees":[{"html_url":"https://acme.pagerduty.com/users/PTUXL6G","id":"PTUXL6G","self":"https://api.pagerduty.com/users/PTUXL6G","summary":"User 123","type":"user_reference"}],"escalation_policy":{"html_url":"https://acme.pagerduty.com/escalation_policies/PUS0KTE","id":"PUS0KTE","self":"https://api.pagerduty.com/escalation_policies/PUS0KTE","summary":"Default","type":"escalation_policy_reference"},"teams":[{"html_url":"https://acme.pagerduty.com/teams/PFCVPS0","id":"PFCVPS0","self":"https://api.pagerduty.com/teams/PFCVPS0","summary":"Engineering","type":"team_reference"}],"priority":{"html_url":"https://acme.pagerduty.com/account/incident_priorities","id":"PSO75BM","self":"https://api.pagerduty.com/priorities/PSO75BM","summary":"P1","type":"priority_reference"},"urgency":"high","conference_bridge":{"conference_number":1000,"conference_url":"https://example.com"},"resolve_reason":null}}}';

const sentryBody = '{"action":"created","data":{"issue":{"title":"Crash"}}}';
const gitlabSigned = `whsec_${Buffer.alloc(32, 'test').toString('base64')}`;

const examples: Record<string, [WebhookSender, Example]> = {
  GitHub: [
    'github',
    {
      source: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
      secret: "It's a Secret to Everybody",
      body: 'Hello, World!',
      headers: {
        'x-hub-signature-256':
          'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      },
    },
  ],
  'Standard Webhooks': [
    'standard',
    {
      source:
        'https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/webhook.test.ts',
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      body: '{"test": 2432232314}',
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': String(standardTime),
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      at: standardTime * 1_000,
    },
  ],
  PagerDuty: [
    'pagerduty',
    {
      source: 'https://github.com/PagerDuty/go-pagerduty/blob/main/webhookv3/webhookv3_test.go',
      secret: 'lDQHScfUeXUKaQRNF+8XIiDKZ7XX3itBAYzwU0TARw8lJqRnkKl2iB1anSb0Z+IK',
      body: pagerdutyBody,
      headers: {
        'x-pagerduty-signature':
          'v1=0c0b9495b893a39e70d1fea2fe11fbe0a825f88b9f67846f6cc07dd2bc5476cd',
      },
    },
  ],
  Sentry: [
    'sentry',
    {
      source:
        'No values are published. Signed as in https://docs.sentry.io/organization/integrations/integration-platform/webhooks/#sentry-hook-signature',
      secret: 'client secret',
      body: sentryBody,
      headers: { 'sentry-hook-signature': sign('client secret', sentryBody) },
    },
  ],
  'GitLab secret token': [
    'gitlab',
    {
      source: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
      secret: 'secret token',
      body: '{}',
      headers: { 'x-gitlab-token': 'secret token' },
    },
  ],
  'GitLab signing token': [
    'gitlab',
    {
      source:
        'No values are published. Signed as in https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944',
      secret: gitlabSigned,
      body: '{}',
      headers: {
        'webhook-id': 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f',
        'webhook-timestamp': String(standardTime),
        'webhook-signature': `v1,${sign(
          keyOfSecret(gitlabSigned),
          `f5e5f430-f57b-4e6e-9fac-d9128cd7232f.${standardTime}.{}`,
          'base64',
        )}`,
      },
      at: standardTime * 1_000,
    },
  ],
  'bearer token': [
    'bearer',
    {
      source: 'https://datatracker.ietf.org/doc/html/rfc6750#section-2.1',
      secret: 'mF_9.B5f-4.1JqM',
      body: '{}',
      headers: { authorization: 'Bearer mF_9.B5f-4.1JqM' },
    },
  ],
};

const check = (
  sender: WebhookSender,
  { body, headers, at = 0 }: Pick<Example, 'body' | 'headers' | 'at'>,
  ...secrets: string[]
) => verifyDelivery(sender, secrets, headers, Buffer.from(body), at);

const isRejected = undefined;

describe.each(Object.entries(examples))('%s', (_, [sender, example]) => {
  const { secret, headers } = example;

  it('accepts its published example', () => {
    expect(check(sender, example, secret)).toEqual(
      expect.objectContaining({ deliveryId: expect.stringMatching(/^[\x21-\x7e]{10,100}$/) }),
    );
  });

  it('accepts either secret while one is replaced', () => {
    expect(check(sender, example, createWebhookSecret(), secret)).toHaveProperty('deliveryId');
    expect(check(sender, example, secret, createWebhookSecret())).toHaveProperty('deliveryId');
  });

  it('rejects a wrong, a missing and no secret', () => {
    expect(check(sender, example, createWebhookSecret())).toEqual(isRejected);
    expect(check(sender, example, '')).toEqual(isRejected);
    expect(check(sender, example)).toEqual(isRejected);
  });

  it('rejects missing, empty and cut headers', () => {
    expect(check(sender, { ...example, headers: {} }, secret)).toEqual(isRejected);
    for (const [name, value] of Object.entries(headers)) {
      if (name === 'webhook-timestamp') continue;
      for (const forged of ['', value.slice(0, -1), `${value}x`, value.toUpperCase()]) {
        const forgedHeaders = { ...headers, [name]: forged };
        expect(check(sender, { ...example, headers: forgedHeaders }, secret)).toEqual(isRejected);
      }
    }
  });

  it('recognizes a repeat', () => {
    const [first, second] = [check(sender, example, secret), check(sender, example, secret)];
    if (sender === 'bearer') expect(first).not.toEqual(second);
    else expect(first).toEqual(second);
  });
});

it.each(webhookSenders)('an empty secret verifies nothing from %s', (sender) => {
  const signature = sign('', '{}');
  const headers = {
    authorization: 'Bearer ',
    'x-hub-signature-256': `sha256=${signature}`,
    'sentry-hook-signature': signature,
    'x-pagerduty-signature': `v1=${signature}`,
    'x-gitlab-token': '',
  };
  expect(check(sender, { body: '{}', headers }, '')).toEqual(isRejected);
});

const signing = Object.entries(examples).filter(([, [, { headers }]]) =>
  Object.keys(headers).some((name) => name.endsWith('signature') || name.includes('signature-')),
);

it.each(signing)('a changed body of %s is rejected', (_, [sender, example]) => {
  const { body, secret } = example;
  expect(check(sender, { ...example, body: `${body} ` }, secret)).toEqual(isRejected);
});

it('five of the examples are signed', () => {
  expect(signing).toHaveLength(5);
});

describe('times of Standard Webhooks', () => {
  const [, example] = examples['Standard Webhooks'] ?? [];
  if (!example) throw new Error('no example');
  const at = (seconds: number) =>
    check('standard', { ...example, at: (standardTime + seconds) * 1_000 }, example.secret);

  it('rejects old and future signatures', () => {
    expect(at(299)).toHaveProperty('deliveryId');
    expect(at(-299)).toHaveProperty('deliveryId');
    expect(at(301)).toEqual(isRejected);
    expect(at(-301)).toEqual(isRejected);
  });

  it('rejects times that are no numbers, although they are signed', () => {
    const key = keyOfSecret(example.secret);
    for (const time of ['NaN', '', '1e9', ' 1614265330', '0x60379f72', '-1', '9'.repeat(400)]) {
      const id = 'msg_1';
      const signature = `v1,${sign(key, `${id}.${time}.${example.body}`, 'base64')}`;
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': signature,
      };
      expect(check('standard', { ...example, headers }, example.secret)).toEqual(isRejected);
    }
  });

  it('accepts one of several signatures, and only of the first version', () => {
    const signature = example.headers['webhook-signature'] ?? '';
    const signed = (value: string) =>
      check(
        'standard',
        { ...example, headers: { ...example.headers, 'webhook-signature': value } },
        example.secret,
      );
    expect(signed(`v1a,AAAA v1,AAAA ${signature}`)).toHaveProperty('deliveryId');
    expect(signed(signature.replace('v1', 'v1a'))).toEqual(isRejected);
  });

  it('rejects a secret that is too short to be a key', () => {
    const headers = {
      ...example.headers,
      'webhook-signature': `v1,${sign('', `msg_p5jXN8AQM9LWM0D4loKWxJek.${standardTime}.{}`, 'base64')}`,
    };
    expect(check('standard', { ...example, body: '{}', headers }, 'whsec_!!')).toEqual(isRejected);
  });
});

describe('delivery IDs', () => {
  const github = (id: string, event = 'issues') =>
    check(
      'github',
      {
        body: '{}',
        headers: {
          'x-hub-signature-256': `sha256=${sign('s', '{}')}`,
          'x-github-delivery': id,
          'x-github-event': event,
        },
      },
      's',
    );

  it("recognizes a replayed body although its ID, which isn't signed, is another one", () => {
    expect(github('1')).toEqual(github('2'));
    expect(github('1')).toHaveProperty('event', 'issues');
  });

  it('uses the ID in the signed body of PagerDuty', () => {
    const [sender, example] = examples['PagerDuty'] ?? [];
    expect(sender && example && check(sender, example, example.secret)).toEqual({
      deliveryId: '01BWDWL3NYY7LUFPZCC28QUCMK',
      event: 'incident.priority_updated',
    });
  });

  it('uses an idempotency key, and replaces one that is odd', () => {
    const bearer = (key: string) =>
      check(
        'bearer',
        { body: '{}', headers: { authorization: 'Bearer s', 'idempotency-key': key } },
        's',
      );
    expect(bearer('deploy-1')).toEqual({ deliveryId: 'deploy-1' });
    for (const odd of ['a b', 'é', 'x'.repeat(9_000)])
      expect(bearer(odd)).toEqual({ deliveryId: expect.stringMatching(/^[\w-]{43}$/) });
  });

  it('leaves out the names of odd events', () => {
    expect(github('1', 'x'.repeat(101))).not.toHaveProperty('event');
    expect(github('1', '\u202egnirts')).not.toHaveProperty('event');
  });

  it('ignores headers that are repeated', () => {
    const rejected = verifyDelivery(
      'github',
      ['s'],
      { 'x-hub-signature-256': [`sha256=${sign('s', '{}')}`, 'x'] },
      Buffer.from('{}'),
      0,
    );
    expect(rejected).toEqual(isRejected);
  });
});

it('creates a different secret of 32 bytes each time', () => {
  const secrets = webhookSenders.map(createWebhookSecret);
  expect(new Set(secrets).size).toBe(webhookSenders.length);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(keyOfSecret(secret)).toHaveLength(32);
  }
});

it('explains why a pasted secret cannot be used', () => {
  expect(secretProblem('standard', createWebhookSecret())).toBeUndefined();
  expect(secretProblem('standard', 'whsec_c2hvcnQ=')).toMatch(/whole secret/);
  expect(secretProblem('sentry', 'a3f9'.repeat(16))).toBeUndefined();
  expect(secretProblem('sentry', 'a3f9')).toMatch(/whole secret/);
});
