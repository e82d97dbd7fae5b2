import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import type { Installations } from '../connection/installations/installations.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import { code, escapeText } from '../text/escape-text.ts';

type Problem = {
  name: string;
  what: string;
  remedy: string;
  /** Names of things with this problem, such as environments. */
  named: readonly string[];
  /** True for information that isn't a problem. */
  isNote: boolean;
};

/** Finds the bot's problems in a workspace. */
export type RunBotDiagnostics = (teamId: string) => Promise<readonly Problem[]>;

type DoctorAnswerDeps = {
  runDiagnostics: RunBotDiagnostics;
  rights: Pick<Rights, 'denyAllButAdmins'>;
  granted: Pick<GrantedScopes, 'missing'>;
  installations: Pick<Installations, 'allowUrl'>;
};

type AnswerDoctor = (asker: Asker) => Promise<string>;

const healthy =
  "✅ No problems found. For more checks, run `slash-agent doctor` on the bot's host.";
const maxProblems = 6;

/** Creates a function that answers `/agent doctor`, which only admins can use. */
export const createDoctorAnswer =
  ({ runDiagnostics, rights, granted, installations }: DoctorAnswerDeps): AnswerDoctor =>
  async (asker) => {
    const denial = await rights.denyAllButAdmins(asker, 'use the doctor');
    if (denial) return `🔒 ${denial}`;
    const found = await runDiagnostics(asker.teamId);
    const { required, optional } = granted.missing();
    const url = installations.allowUrl?.(asker.teamId, [...required, ...optional]);
    const line = (problem: Problem) => problemLine(problem, url);
    const notes = found.filter(({ isNote }) => isNote).map(line);
    const problems = found.filter(({ isNote }) => !isNote);
    if (problems.length === 0) return [healthy, ...notes].join('\n');
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const others = problems.slice(maxProblems).map(({ name }) => name);
    const more = others.length > 0 ? [`Also: ${escapeText(others.join(', '), 400)}`] : [];
    const separateNotes = notes.length > 0 ? ['*Notes*', ...notes] : [];
    const shown = problems.slice(0, maxProblems).map(line);
    return [`⚠️ *${count} found*`, ...shown, ...more, ...separateNotes].join('\n');
  };

/**
 * Renders a problem as one line of mrkdwn.
 * @param allowUrl page where an admin allows missing scopes
 */
function problemLine({ name, what, remedy, named }: Problem, allowUrl: string | undefined): string {
  const things = named.length > 0 ? ` (${escapeText(named.join(', '), 150)})` : '';
  const isScopes = name.endsWith('scopes-missing');
  const todo =
    isScopes && allowUrl ? `<${allowUrl}|Allow missing scopes>` : escapeText(remedy, 150);
  return `•  *${escapeText(what, 80)}*${things}  ·  ${todo}  ·  ${code(name, 40)}`;
}
