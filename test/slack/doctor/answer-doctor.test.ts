import { describe, expect, it } from 'vitest';
import { createDoctorAnswer } from '../../../src/slack/doctor/answer-doctor.ts';
import { limits } from '../../../src/slack/text/escape-text.ts';

const asker = { teamId: 'T1', channelId: 'C1', userId: 'U1' };
const scopes = {
  name: 'scopes-missing',
  what: 'The app lacks scopes',
  remedy: 'Reinstall the app.',
  named: ['files:read', 'files:write'],
  isNote: false,
};

type Given = {
  faults?: (typeof scopes)[];
  refusal?: string;
  allowUrl?: string;
};

/** What `/agent doctor` answers, and whether anything was examined. */
async function answered({ faults = [], refusal, allowUrl }: Given) {
  let examined = 0;
  const answer = createDoctorAnswer({
    rights: { refuseButAdmins: async () => refusal },
    async examine() {
      examined += 1;
      return faults;
    },
    granted: { missing: () => ({ required: [], optional: [], granted: 2, requested: 2 }) },
    installations: allowUrl ? { allowUrl: () => allowUrl } : {},
  });
  return { text: await answer(asker), examined };
}

describe('/agent doctor', () => {
  it('examines nothing for people who may not', async () => {
    const { text, examined } = await answered({ refusal: 'Only admins.', faults: [scopes] });
    expect([text, examined]).toEqual(['⚠️ Only admins.', 0]);
  });

  it('says what to do about a fault, with a link where an admin can do it in Slack', async () => {
    const remote = await answered({ faults: [scopes] });
    expect(remote.text).toContain('files:read, files:write');
    expect(remote.text).toContain('For the operator: Reinstall the app.');
    const here = await answered({ faults: [scopes], allowUrl: 'https://example.com/install?a=b' });
    expect(here.text).toContain('<https://example.com/install?a=b|Allow what is missing>');
    expect(here.text).not.toContain('Reinstall');
  });

  it('tells notes below the faults, or below that there are none', async () => {
    const note = { ...scopes, name: 'optional-scopes-missing', what: 'Off', isNote: true };
    expect((await answered({ faults: [note] })).text).toMatch(/^✅ No faults found.*\n• \*Off\*/);
    expect((await answered({ faults: [note, scopes] })).text).toMatch(/^⚠️ \*One fault found\*/);
  });

  it('fits into a message with every fault and long, hostile names', async () => {
    const named = Array.from({ length: 200 }, () => '<!channel>'.repeat(20));
    const long = { ...scopes, what: 'w'.repeat(500), remedy: 'r'.repeat(500), named };
    const faults = Array.from({ length: 31 }, (_, at) => ({ ...long, name: `fault-${at}` }));
    const { text } = await answered({ faults });
    expect(text.length).toBeLessThanOrEqual(limits.messageText);
    expect(text).toContain('31 faults');
    expect(text).not.toContain('<!channel>');
  });
});
