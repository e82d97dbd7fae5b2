import type { Compilable, CompiledQuery } from 'kysely';

/** A parameter of the statement. */
class Slot<Values> {
  readonly key: keyof Values;
  constructor(key: keyof Values) {
    this.key = key;
  }
}

/**
 * Compiles a statement once: for a small one Kysely takes longer to compile it than the database to run it. Only for
 * statements that many people wait for at once, and those that an idle process repeats.
 * @param build gets a placeholder for each value of the first call, and may only use it as a value
 */
export function prepare<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return (values) => {
    compiled ??= build(placeholders(values)).compile();
    const parameters = compiled.parameters.map((each) =>
      each instanceof Slot ? values[each.key as keyof Values] : each,
    );
    return { ...compiled, parameters };
  };
}

function placeholders<Values extends object>(values: Values): Values {
  const keys = Object.keys(values) as (keyof Values)[];
  return Object.fromEntries(keys.map((key) => [key, new Slot(key)])) as Values;
}
