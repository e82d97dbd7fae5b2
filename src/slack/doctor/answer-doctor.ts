import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import type { Installations } from '../connection/installations/installations.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { code, escapeText } from '../text/escape-text.ts';

/** `named`: what it is about, such as environments. `isNote`: nothing is wrong. */
type Fault = {
  name: string;
  what: string;
  remedy: string;
  named: readonly string[];
  isNote: boolean;
};

/** Finds the bot's problems in a workspace. */
export type Examine = (teamId: string) => Promise<readonly Fault[]>;

type DoctorAnswerDeps = {
  examine: Examine;
  rights: Pick<Rights, 'refuseButAdmins'>;
  granted: Pick<GrantedScopes, 'missing'>;
  installations: Pick<Installations, 'allowUrl'>;
};

type AnswerDoctor = (asker: Asker) => Promise<string>;

const healthy = '✅ No faults found. On the machine of the bot, `slash-agent doctor` checks more.';
const faultsShown = 6;
const forAdmins = new Set(['connection-fails']);

/** `/agent doctor`, for admins. */
export const createDoctorAnswer =
  ({ examine, rights, granted, installations }: DoctorAnswerDeps): AnswerDoctor =>
  async (asker) => {
    const refusal = await rights.refuseButAdmins(asker, 'ask the doctor');
    if (refusal) return `⚠️ ${refusal}`;
    const found = await examine(asker.teamId);
    const { required, optional } = granted.missing();
    const url = installations.allowUrl?.(asker.teamId, [...required, ...optional]);
    const notes = found.filter(({ isNote }) => isNote).map((note) => faultLines(note, url));
    const faults = found.filter(({ isNote }) => !isNote);
    if (faults.length === 0) return [healthy, ...notes].join('\n');
    const count = faults.length === 1 ? 'One fault' : `${faults.length} faults`;
    const shown = faults.slice(0, faultsShown).map((fault) => faultLines(fault, url));
    const others = faults.slice(faultsShown).map(({ name }) => name);
    const more = others.length > 0 ? [`Also: ${escapeText(others.join(', '), 400)}`] : [];
    return [`⚠️ *${count} found*`, ...shown, ...more, ...notes].join('\n');
  };

/** Two lines of mrkdwn. `allowUrl`: where an admin allows scopes. */
function faultLines({ name, what, remedy, named }: Fault, allowUrl: string | undefined): string {
  const about = named.length > 0 ? `: ${escapeText(named.join(', '), 150)}` : '';
  const todo =
    name.endsWith('scopes-missing') && allowUrl
      ? `<${allowUrl}|Allow what is missing>`
      : `${forAdmins.has(name) ? '' : 'For the operator: '}${escapeText(remedy, 150)}`;
  return `• *${escapeText(what, 80)}*${about} (${code(name, 40)})\n${todo}`;
}
