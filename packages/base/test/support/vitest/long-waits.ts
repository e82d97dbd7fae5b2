import { expect } from 'vitest';
import { watched } from '../watched.ts';

/** The mark is set once per worker, because a worker's files share `expect`. */
const mark = Symbol.for('slash-agent.poll-is-watched');

const { poll } = expect;
if (!Reflect.has(poll, mark))
  expect.poll = Object.assign<typeof poll, object>(
    (probe, options) => poll(watched(probe), options),
    { [mark]: true },
  );
