import { describe, expect, it } from 'vitest';
import { signRequest } from '../src/signing.ts';
import { hasSharedData, readSharedJson, whySkipped } from './support/shared-data.ts';

type Vector = { signing_secret: string; timestamp: string; body: string; signature: string };

const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(`request signatures${skipNote}`, () => {
  const vectors = hasSharedData ? (readSharedJson('slack/signature/vectors.json') as Vector[]) : [];

  it.each(vectors)('match the documented example', (vector) => {
    const { signing_secret: secret, timestamp, body, signature } = vector;
    expect(signRequest(secret, timestamp, body)).toBe(signature);
  });
});
