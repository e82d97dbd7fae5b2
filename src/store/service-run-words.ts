import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { ServiceRunFilter } from './service-run-filter.ts';

/**
 * What a run can be found by and never changes, as words of SQLite's full-text index: one for each fixed value, and the
 * groups of one, two and three characters of its texts. That index finds runs with several words at once without
 * walking over those that have only one of them, and keeps them in the order of their creation.
 */
type Findable = {
  search_text: string;
  config_name: string | null;
  model_id: string | null;
  environment_id: string;
  skill_spec: string | null;
  creator_uid: string;
  source: string;
  metadata_json: string;
};

const word = (name: string, value: string) =>
  `v${createHash('sha256').update(`${name}\0${value}`).digest('hex').slice(0, 16)}`;

/** A word for characters, of letters and digits only, whatever they are. */
const group = (text: string) => `t${Buffer.from(text, 'utf16le').toString('hex')}`;

function groupsOf(text: string): Set<string> {
  const parts = new Set<string>();
  for (let index = 0; index < text.length; index += 1)
    for (const length of [1, 2, 3])
      if (index + length <= text.length) parts.add(text.slice(index, index + length));
  return new Set([...parts].map(group));
}

function wordsOf(run: Findable): string {
  const values = {
    config_name: run.config_name,
    model_id: run.model_id,
    environment_id: run.environment_id,
    skill_spec: run.skill_spec,
    creator_uid: run.creator_uid,
    source: run.source,
  };
  const fixed = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [word(name, value)],
  );
  const metadata = Object.entries<string>(JSON.parse(run.metadata_json));
  const pairs = metadata.map(([key, value]) => word(`metadata ${key}`, value));
  return [...fixed, ...pairs, ...groupsOf(run.search_text)].join(' ');
}

/** Each further group of characters leaves out little more; every one is a list to read. */
const maxGroups = 6;

/** The runs that have all these words are at least those that the filter wants; undefined when no word can tell. */
export function wordsWanted(filter: ServiceRunFilter): string | undefined {
  const { configName, modelId, environmentId, skillSpec, creatorUid, source, search } = filter;
  const values = {
    config_name: configName,
    model_id: modelId,
    environment_id: environmentId,
    skill_spec: skillSpec,
    creator_uid: creatorUid,
    source,
  };
  const fixed = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [word(name, value)],
  );
  const pairs = Object.entries(filter.metadata ?? {}).map(([key, value]) =>
    word(`metadata ${key}`, value),
  );
  const all = [...fixed, ...pairs, ...groupsWithin((search ?? '').toLowerCase())];
  return all.length === 0 ? undefined : all.join(' AND ');
}

/** Groups of three, as far from one another as can be; of a shorter text the text itself. */
function groupsWithin(text: string): string[] {
  if (text.length <= 3) return text === '' ? [] : [group(text)];
  const last = text.length - 3;
  const count = Math.min(maxGroups, Math.ceil(text.length / 3));
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * last) / (count - 1)),
  );
  return [...new Set(places.map((place) => group(text.slice(place, place + 3))))];
}

/** Makes runs findable; only on SQLite. */
export async function writeWords(
  db: Db,
  runs: readonly (Findable & { number: number | null })[],
): Promise<void> {
  const rows = runs.map((run) => sql`(${run.number}, ${wordsOf(run)})`);
  await sql`insert into service_run_words (rowid, words) values ${sql.join(rows)}`.execute(db);
}

const runsAtOnce = 200;

/** For runs that were there before the index was. */
export async function writeAllWords(db: Db): Promise<void> {
  let last = 0;
  for (;;) {
    const runs = await db
      .selectFrom('service_runs')
      .selectAll()
      .where('number', '>', last)
      .orderBy('number')
      .limit(runsAtOnce)
      .execute();
    if (runs.length === 0) return;
    await writeWords(db, runs);
    last = runs.at(-1)?.number ?? Number.POSITIVE_INFINITY;
  }
}
