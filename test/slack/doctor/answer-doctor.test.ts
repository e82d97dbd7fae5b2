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
  problems?: (typeof scopes)[];
  rejection?: string;
  allowUrl?: string;
};

/** Answers `/agent doctor`, and counts how often the checks run. */
async function answered({ problems = [], rejection, allowUrl }: Given) {
  let checks = 0;
  const answer = createDoctorAnswer({
    rights: { denyAllButAdmins: async () => rejection },
    async runDiagnostics() {
      checks += 1;
      return problems;
    },
    granted: { missing: () => ({ required: [], optional: [], granted: 2, requested: 2 }) },
    installations: allowUrl ? { allowUrl: () => allowUrl } : {},
  });
  return { text: await answer(asker), checks };
}

describe('/agent doctor', () => {
  it('checks nothing for people without permission', async () => {
    const { text, checks } = await answered({ rejection: 'Only admins.', problems: [scopes] });
    expect([text, checks]).toEqual(['🔒 Only admins.', 0]);
  });

  it('shows the remedy of a problem, or a link if an admin can fix it in Slack', async () => {
    const remote = await answered({ problems: [scopes] });
    expect(remote.text).toContain('files:read, files:write');
    expect(remote.text).toContain('Reinstall the app.');
    const here = await answered({
      problems: [scopes],
      allowUrl: 'https://example.com/install?a=b',
    });
    expect(here.text).toContain('<https://example.com/install?a=b|Allow missing scopes>');
    expect(here.text).not.toContain('Reinstall');
  });

  it('shows notes below the problems', async () => {
    const note = { ...scopes, name: 'optional-scopes-missing', what: 'Off', isNote: true };
    expect((await answered({ problems: [note] })).text).toMatch(
      /^✅ No problems found.*\n• {2}\*Off\*/,
    );
    expect((await answered({ problems: [note, scopes] })).text).toMatch(/^⚠️ \*1 problem found\*/);
  });

  it('fits into a message with every problem and long, hostile names', async () => {
    const named = Array.from({ length: 200 }, () => '<!channel>'.repeat(20));
    const long = { ...scopes, what: 'w'.repeat(500), remedy: 'r'.repeat(500), named };
    const problems = Array.from({ length: 31 }, (_, at) => ({ ...long, name: `problem-${at}` }));
    const { text } = await answered({ problems });
    expect(text.length).toBeLessThanOrEqual(limits.messageText);
    expect(text).toContain('31 problems');
    expect(text).not.toContain('<!channel>');
  });
});
