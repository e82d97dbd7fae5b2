import { createHash } from 'node:crypto';
import { readableText } from 'base/readable-text';
import { shownText } from 'base/secrets/mask-secrets';
import { shorten } from 'base/shorten';
import type { AgentConfig } from 'runs-client/contract';
import {
  findEnvironment,
  listSome,
  type ServiceEnvironment,
} from '../../environments/environments.ts';
import type { Runs, StoredRun } from '../../store/runs.ts';
import { type KeyOwner, newSecret } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { readCreate, type ServiceCreate } from './create-request.ts';
import { keyUidOf, type VisibleRuns } from './visible-runs.ts';

const titleCharacters = 80;

type CreateRunOptions = {
  runs: Runs;
  visibleRuns: VisibleRuns;
  environments: () => readonly ServiceEnvironment[];
};

/** Creates a run. If a run was created with the same idempotency key, returns that run instead. */
export async function createRun(
  { runs, visibleRuns, environments }: CreateRunOptions,
  caller: KeyOwner,
  body: unknown,
  idempotencyKey: string | undefined,
): Promise<StoredRun> {
  const request = readCreate(body);
  const { conversation_id: conversation } = request;
  if (conversation !== undefined && !(await visibleRuns.canContinue(caller, conversation)))
    throw new ApiProblem(
      'cannot_be_processed',
      `conversation_id: conversation "${conversation}" doesn't exist`,
    );
  const creator = creatorOf(caller, request.on_behalf_of);
  // Leave `attachments` and `on_behalf_of` out of the hash. A caller that repeats the request may no longer have
  // them.
  const { attachments: _, on_behalf_of: __, ...hashed } = request;
  const requestHash = createHash('sha256').update(JSON.stringify(hashed)).digest('hex');
  const scopedKey = idempotencyKey === undefined ? null : `${caller.creator.uid} ${idempotencyKey}`;
  const earlier = scopedKey === null ? undefined : await runs.getByIdempotencyKey(scopedKey);
  const run =
    earlier ??
    (await runs.create(
      newRun(request, environments(), { caller, creator }, scopedKey, requestHash),
    ));
  if (run.request_hash !== requestHash)
    throw new ApiProblem(
      'cannot_be_processed',
      'This Idempotency-Key was used for another request. Use a new key for each request.',
    );
  return run;
}

/**
 * Returns the creator of a run. Only programs with access to everyone's runs can start a run for someone else, because
 * other keys couldn't see it.
 */
function creatorOf(
  { role, creator }: KeyOwner,
  email: string | undefined,
): KeyOwner['creator'] & { email?: string } {
  if (email === undefined) return creator;
  if (role !== 'all' || creator.type !== 'service_account')
    throw new ApiProblem(
      'not_authorized',
      'on_behalf_of: this key can\'t start runs for others. It needs to be a key of a program with the role "all".',
    );
  const uid = email.toLowerCase();
  return { type: 'user', uid, display_name: email, email };
}

function newRun(
  request: ServiceCreate,
  environments: readonly ServiceEnvironment[],
  { caller, creator }: { caller: KeyOwner; creator: KeyOwner['creator'] },
  idempotencyKey: string | null,
  requestHash: string,
) {
  const wanted = request.config?.environment_id;
  const environment = findEnvironment(environments, wanted);
  if (!environment) {
    const ids = listSome(environments.map(({ id }) => id)) || '(none yet)';
    const problem =
      wanted === undefined
        ? 'is required, because there is no default environment'
        : `environment "${wanted}" doesn't exist`;
    throw new ApiProblem(
      'cannot_be_processed',
      `config.environment_id: ${problem}. Choose one of these: ${ids}.`,
    );
  }
  const { name: chosenName, model_id, base_prompt, skill_spec, mcp_servers } = request.config ?? {};
  const name = chosenName ?? skillName(skill_spec);
  const environment_id = environment.id;
  const config: AgentConfig = {
    environment_id,
    name,
    model_id,
    base_prompt,
    skill_spec,
    mcp_servers,
  };
  return {
    session_token: newSecret(),
    // Mask secrets in the title. Titles aren't encrypted, because lists sort and search them.
    title:
      shownText(readableText(request.title ?? '')).trim() ||
      titleOf(shownText(readableText(request.prompt))),
    prompt: request.prompt,
    config_json: JSON.stringify(config),
    config_name: name ?? null,
    model_id: config.model_id ?? null,
    environment_id: environment.id,
    skill_spec: config.skill_spec ?? null,
    creator_json: JSON.stringify(creator),
    creator_uid: creator.uid,
    key_uid: keyUidOf(caller),
    source: caller.source ?? 'API',
    idempotency_key: idempotencyKey,
    request_hash: requestHash,
    conversationId: request.conversation_id,
    limits_json: request.limits === undefined ? null : JSON.stringify(request.limits),
    metadata: request.metadata ?? {},
    attachments: request.attachments ?? [],
  };
}

/** Makes a title from the first line of the prompt. */
function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n');
  return shorten(line.trim(), titleCharacters);
}

/** Returns the name of the skill in `owner/repo:name` or `owner/repo:path/name/SKILL.md`. */
function skillName(spec: string | undefined): string | undefined {
  const skill = spec?.slice(spec.indexOf(':') + 1);
  return (
    skill
      ?.replace(/\/SKILL\.md$/i, '')
      .split('/')
      .at(-1) || undefined
  );
}
