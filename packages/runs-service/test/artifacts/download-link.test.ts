import { describe, expect, it } from 'vitest';
import { checkLink, createLink } from '../../src/artifacts/download-link.ts';

const fileOf = (key: string) => ({
  file: { contentName: 'c', key, bytes: 1, contentType: 'text/plain', path: 'a.txt' },
});
const artifact = { uid: 'a-1', data: fileOf('a2V5') };

function parts(path: string) {
  const query = new URL(path, 'http://x.test').searchParams;
  return { expires: query.get('expires') ?? '', signature: query.get('signature') ?? '' };
}

describe('a download link', () => {
  const { path, expiresAt } = createLink(artifact, 1_000);
  const given = parts(path);

  it('works for 15 minutes', () => {
    expect(expiresAt).toBe(1_000 + 15 * 60_000);
    expect(checkLink(artifact, given, expiresAt)).toBe('valid');
    expect(checkLink(artifact, given, expiresAt + 1)).toBe('expired');
  });

  it("can't be changed, or used for another file", () => {
    const later = { ...given, expires: String(expiresAt + 1) };
    const wrong = [later, { ...given, signature: '' }, { ...given, signature: 'AAAA' }];
    for (const each of [...wrong, { expires: 'soon', signature: given.signature }])
      expect(checkLink(artifact, each, 1_000)).toBe('wrong');
    expect(checkLink({ ...artifact, uid: 'a-2' }, given, 1_000)).toBe('wrong');
    expect(checkLink({ ...artifact, data: fileOf('b3RoZXI') }, given, 1_000)).toBe('wrong');
    expect(checkLink({ uid: 'a-1', data: {} }, given, 1_000)).toBe('wrong');
  });
});
