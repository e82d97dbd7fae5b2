import { createHash, randomBytes } from 'node:crypto';
import type { AgentConfig } from 'runs-client/contract';
import { readableText } from '../../lib/readable-text.ts';
import type { ServiceRun, ServiceRuns } from '../../store/service/service-runs.ts';
import {
  findEnvironment,
  nameSome,
  type ServiceEnvironment,
} from '../environments/environments.ts';
import { readCreate, type ServiceCreate } from './create-request.ts';
import type { ServiceKey } from './keyring.ts';
import { ApiProblem } from './problem.ts';

const titleCharacters = 80;

export type CreateRunOptions = {
  runs: ServiceRuns;
  environments: () => readonly ServiceEnvironment[];
};

/** Writes a run from a request body, or gives back the one that the same idempotency key made before. */
export async function createRun(
  { runs, environments }: CreateRunOptions,
  caller: ServiceKey,
  body: unknown,
  idempotencyKey: string | undefined,
): Promise<ServiceRun> {
  const request = readCreate(body);
  const requestHash = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const scopedKey = idempotencyKey === undefined ? null : `${caller.creator.uid} ${idempotencyKey}`;
  const earlier = scopedKey === null ? undefined : await runs.getByIdempotencyKey(scopedKey);
  const run =
    earlier ?? (await runs.create(newRun(request, environments(), caller, scopedKey, requestHash)));
  if (run.request_hash !== requestHash)
    throw new ApiProblem(
      'cannot_be_processed',
      'This Idempotency-Key came with another request before. Use a new key for a new request.',
    );
  return run;
}

function newRun(
  request: ServiceCreate,
  environments: readonly ServiceEnvironment[],
  caller: ServiceKey,
  idempotencyKey: string | null,
  requestHash: string,
) {
  const wanted = request.config?.environment_id;
  const environment = findEnvironment(environments, wanted);
  if (!environment) {
    const ids = nameSome(environments.map(({ id }) => id)) || 'none yet';
    throw new ApiProblem(
      'cannot_be_processed',
      wanted === undefined
        ? `config.environment_id: is needed here. Environments: ${ids}.`
        : `config.environment_id: there is no environment "${wanted}". Environments: ${ids}.`,
    );
  }
  const { name: given, model_id, base_prompt, skill_spec, mcp_servers } = request.config ?? {};
  const name = given ?? skillName(skill_spec);
  const config: AgentConfig = {
    environment_id: environment.id,
    ...(name !== undefined && { name }),
    ...(model_id !== undefined && { model_id }),
    ...(base_prompt !== undefined && { base_prompt }),
    ...(skill_spec !== undefined && { skill_spec }),
    ...(mcp_servers !== undefined && { mcp_servers }),
  };
  return {
    session_token: randomBytes(32).toString('base64url'),
    title: readableText(request.title ?? '').trim() || titleOf(readableText(request.prompt)),
    prompt: request.prompt,
    config_json: JSON.stringify(config),
    config_name: name ?? null,
    model_id: config.model_id ?? null,
    environment_id: environment.id,
    skill_spec: config.skill_spec ?? null,
    creator_json: JSON.stringify(caller.creator),
    creator_uid: caller.creator.uid,
    source: caller.source ?? 'API',
    idempotency_key: idempotencyKey,
    request_hash: requestHash,
    conversationId: request.conversation_id,
    metadata: request.metadata ?? {},
  };
}

/** The first line of the prompt, politely cut. */
function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n');
  const characters = [...line.trim()];
  return characters.length <= titleCharacters
    ? characters.join('')
    : `${characters.slice(0, titleCharacters - 1).join('')}…`;
}

/** A run that is started from a skill bears the skill's name: `owner/repo:name`, or the folder of `…/name/SKILL.md`. */
function skillName(spec: string | undefined): string | undefined {
  const skill = spec?.slice(spec.indexOf(':') + 1);
  return (
    skill
      ?.replace(/\/SKILL\.md$/i, '')
      .split('/')
      .at(-1) || undefined
  );
}
