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
import { resetSentence, spentSentence } from '../../gateway/caps/cap-sentences.ts';
import { capsOfRun } from '../../gateway/caps/caps-of-run.ts';
import type { StoredLimits } from '../../gateway/caps/stored-limits.ts';
import type { ModelCalls } from '../../store/model-calls.ts';
import type { NewStoredRun, Runs, StoredRun } from '../../store/runs.ts';
import { isUsedUp, tightestOf } from '../../store/spend-cap.ts';
import { type KeyOwner, newSecret } from '../keys/keyring.ts';
import { ApiProblem } from '../problem.ts';
import { readCreate, type ServiceCreate } from './create-request.ts';
import { keyUidOf, type VisibleRuns } from './visible-runs.ts';

const titleCharacters = 80;

type CreateRunOptions = {
  runs: Runs;
  modelCalls: Pick<ModelCalls, 'statesOf'>;
  visibleRuns: VisibleRuns;
  environments: () => readonly ServiceEnvironment[];
};

/** Creates a run. If a run was created with the same idempotency key, returns that run instead. */
export async function createRun(
  { runs, modelCalls, visibleRuns, environments }: CreateRunOptions,
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
  // Leave `attachments`, `on_behalf_of` and `limits` out of the hash. A caller that repeats the request may no longer
  // have them, or its limits may have changed.
  const { attachments: _, on_behalf_of: __, limits: ___, ...hashed } = request;
  const requestHash = createHash('sha256').update(JSON.stringify(hashed)).digest('hex');
  const scopedKey = idempotencyKey === undefined ? null : `${caller.creator.uid} ${idempotencyKey}`;
  const earlier = scopedKey === null ? undefined : await runs.getByIdempotencyKey(scopedKey);
  const run = earlier ?? (await storeNew());
  if (run.request_hash !== requestHash)
    throw new ApiProblem(
      'cannot_be_processed',
      'This Idempotency-Key was used for another request. Use a new key for each request.',
    );
  return run;

  async function storeNew(): Promise<StoredRun> {
    const by = { caller, creator };
    const deps = { modelCalls, environments };
    return runs.create(await prepareRun(deps, request, by, scopedKey, requestHash));
  }
}

/**
 * Prepares a run for the store.
 * @throws ApiProblem if the environment doesn't exist, or a cap is used up
 */
export async function prepareRun(
  { modelCalls, environments }: Pick<CreateRunOptions, 'modelCalls' | 'environments'>,
  request: ServiceCreate,
  by: { caller: KeyOwner; creator: KeyOwner['creator'] },
  idempotencyKey: string | null,
  requestHash: string,
): Promise<NewStoredRun> {
  const environment = findOrReject(environments(), request.config?.environment_id);
  const run = newRun(request, environment, by, idempotencyKey, requestHash);
  await assertCanSpend(modelCalls, run, environment);
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

export function findOrReject(
  environments: readonly ServiceEnvironment[],
  wanted: string | undefined,
  member = 'config',
): ServiceEnvironment {
  const environment = findEnvironment(environments, wanted);
  if (!environment) {
    const ids = listSome(environments.map(({ id }) => id)) || '(none yet)';
    const problem =
      wanted === undefined
        ? 'is required, because there is no default environment'
        : `environment "${wanted}" doesn't exist`;
    throw new ApiProblem(
      'cannot_be_processed',
      `${member}.environment_id: ${problem}. Choose one of these: ${ids}.`,
    );
  }
  return environment;
}

/**
 * Makes sure that the caps of a new run have money left. Reserved amounts don't matter, because calls in progress can
 * cost less.
 * @throws ApiProblem that says how much was spent, and when the cap resets
 */
async function assertCanSpend(
  modelCalls: CreateRunOptions['modelCalls'],
  run: Pick<NewStoredRun, 'creator_json' | 'limits_json'>,
  environment: ServiceEnvironment,
): Promise<void> {
  const { caps } = capsOfRun({ ...run, id: 'new' }, environment);
  const states = await modelCalls.statesOf(caps.filter(({ scope }) => scope !== 'run'));
  const used = tightestOf(states.filter((state) => isUsedUp({ ...state, reserved: 0 })));
  if (!used) return;
  const sentences = [spentSentence(used), resetSentence(used)];
  throw new ApiProblem('budget_exceeded', sentences.filter(Boolean).join(' '));
}

function newRun(
  request: ServiceCreate,
  environment: ServiceEnvironment,
  { caller, creator }: { caller: KeyOwner; creator: KeyOwner['creator'] },
  idempotencyKey: string | null,
  requestHash: string,
) {
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
    limits_json: limitsFor(caller, request),
    schedule_json: null,
    metadata: request.metadata ?? {},
    attachments: request.attachments ?? [],
  };
}

/** Returns the limits to store. Only keys that act on everyone's runs can charge, see and raise everyone's counters. */
function limitsFor(caller: KeyOwner, { limits }: ServiceCreate): string | null {
  if (caller.role === 'all') return limits === undefined ? null : JSON.stringify(limits);
  return JSON.stringify({ ...limits, counted_apart_for: keyUidOf(caller) } satisfies StoredLimits);
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
