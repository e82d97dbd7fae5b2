import type { Row } from '../memory-database.ts';
import type { Agent } from './agent.ts';
import type { Decision } from './deciding-people.ts';
import type { SpendingDatabase } from './spending-database.ts';

export type SpendingWorld = {
  database: SpendingDatabase;
  agents: readonly Agent[];
  decisions: readonly Decision[];
  isIdle: boolean;
};

type SpendingInvariant = (world: SpendingWorld) => Iterable<string>;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const count = (row: Row | undefined, name: string) => Number(row?.[name]);

/** Promises about money. Each yields its violations. */
export const spendingInvariants: Readonly<Record<string, SpendingInvariant>> = {
  *'no call is stuck'({ isIdle, database }) {
    if (isIdle) return;
    yield JSON.stringify(
      database.rows('select id, state from service_runs where ended_at is null'),
    );
    yield JSON.stringify(
      database.rows('select id from service_model_calls where ended_at is null'),
    );
  },

  *'every billed call counts'({ database, agents }) {
    const rows = new Map(
      database.rows('select * from service_model_calls').map((row) => [row['id'], row]),
    );
    for (const { id, plan, isSettled } of agents.flatMap(({ billed }) => billed)) {
      const row = rows.get(id);
      const price = count(row, 'price_micros');
      const isExact = row?.['outcome'] === 'completed' && plan.end === 'completed';
      // A crash can follow the settlement of a call, so only a call that was settled in time has to be exact.
      const isKnown = isExact ? price === plan.priceMicros : price >= count(row, 'reserved_micros');
      if (!isKnown || (isSettled && plan.end === 'completed' && !isExact))
        yield `${id} costs ${plan.priceMicros} and counts ${price} (${String(row?.['outcome'])})`;
    }
  },

  *'every call counts for all whom it belongs to'({ database, agents }) {
    for (const row of database.rows('select run_id, spend_keys_json from service_model_calls')) {
      const agent = agents.find(({ runId }) => runId === row['run_id']);
      const keys: string[] = JSON.parse(String(row['spend_keys_json']));
      for (const key of agent?.spendKeys ?? [])
        if (!keys.includes(key)) yield `a call of ${agent?.runId} doesn't count for ${key}`;
    }
  },

  *'counters are the sums of their calls'({ database }) {
    const rows = database.rows(`select s.key, s.period, s.spent, s.reserved,
      (select coalesce(sum(c.price_micros), 0) from service_model_calls c
        where c.started_at >= s.starts_at and c.started_at < s.ends_at
          and instr(c.spend_keys_json, '"' || s.key || '"') > 0) as total
      from service_spend s`);
    for (const row of rows)
      if (row['spent'] !== row['total'] || row['reserved'] !== 0) yield JSON.stringify(row);
  },

  *'no call starts over a cap'({ database, agents }) {
    for (const row of database.rows('select * from simulated_starts')) {
      const agent = agents.find(({ runId }) => runId === row['run_id']);
      const isAbout = String(row['period']);
      for (const cap of agent?.caps ?? [])
        if (cap.key === row['key'] && isAbout.startsWith(cap.per)) {
          const limit = cap.limitMicros + count(row, 'allowed');
          if (count(row, 'committed') >= limit) yield `${JSON.stringify(row)}: limit ${limit}`;
        }
    }
  },

  *'a stopped run starts no call'({ database }) {
    for (const row of database.rows('select * from simulated_starts where is_stopped = 1'))
      yield JSON.stringify(row);
  },

  *'more is allowed once for each answer'({ database, decisions }) {
    const rows = database.rows(
      'select key, sum(allowed) as allowed from service_spend group by key',
    );
    for (const { key, allowed } of rows) {
      const given = decisions.filter((each) => each.key === key && each.option === 'allow');
      const total = sum(given.map(({ amountMicros }) => amountMicros));
      if (allowed !== total)
        yield `${String(key)} has ${String(allowed)} and people allowed ${total}`;
    }
  },

  *'a run asks once'({ database }) {
    const rows = database.rows(`select one.run_id, one.question_id from service_run_questions one
      join service_run_questions other on other.run_id = one.run_id
        and other.question_id > one.question_id
      where (one.closed_at is null or one.closed_at > other.asked_at)
        and (other.closed_at is null or other.closed_at > one.asked_at)`);
    for (const row of rows) yield JSON.stringify(row);
  },

  *'each question has one answer'({ database, decisions }) {
    const answered = database.rows(
      'select * from service_run_questions where answer_json is not null',
    );
    if (answered.length !== decisions.length)
      yield `${decisions.length} answers were accepted, and ${answered.length} are stored`;
    const stops = database.rows('select id from service_runs where spend_stopped is not null');
    for (const { runId, option } of decisions)
      if (option === 'stop' && !stops.some(({ id }) => id === runId))
        yield `${runId} isn't stopped`;
  },
};
