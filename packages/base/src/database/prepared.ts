import { type Compilable, type CompiledQuery, isExpression } from 'kysely';

/** A parameter of the statement. */
class Slot<Values> {
  readonly key: keyof Values;
  constructor(key: keyof Values) {
    this.key = key;
  }
}

/**
 * Compiles a statement once: for a small one Kysely takes longer to compile it than the database to run it. Only for
 * statements that many people wait for at once, and those that work on each run repeats.
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

/**
 * The same for statements that don't always have the same values: each set of keys is compiled once. A value that is part of
 * the statement, such as `sql`, can't be a parameter, nor can undefined: a statement with one is compiled each time.
 */
export function prepareEach<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): (values: Values) => CompiledQuery<Row> {
  const known = new Map<string, (values: Values) => CompiledQuery<Row>>();
  return (values) => {
    const isOther = (value: unknown) => value === undefined || isExpression(value);
    if (Object.values(values).some(isOther)) return build(values).compile();
    const keys = Object.keys(values).join();
    const prepared = known.get(keys) ?? prepare(build);
    known.set(keys, prepared);
    return prepared(values);
  };
}

function placeholders<Values extends object>(values: Values): Values {
  const keys = Object.keys(values) as (keyof Values)[];
  return Object.fromEntries(keys.map((key) => [key, new Slot(key)])) as Values;
}
