import type { z } from 'zod';
import { findFaults, writeFinding } from '../../src/block-kit/checks/findings.ts';
import { validateView } from '../../src/block-kit/validate-view.ts';
import * as a from './fragments.ts';

type Build = (size: number, fill: string) => unknown;

/** A field with a limit. `build(n, fill)` creates a value with size n at the pointer `at`; text repeats `fill`. */
export type LimitCase = { check: (value: unknown) => string[]; at: string; build: Build };

export const checkBy = (schema: z.ZodType) => (value: unknown) =>
  findFaults(schema, value).map(writeFinding);

export const checkView = (value: unknown) => validateView(value).map(({ message }) => message);

export const by = (schema: z.ZodType, at: string, build: Build): LimitCase => ({
  check: checkBy(schema),
  at,
  build,
});

/** Creates a case whose field is a string of the size. */
export const stringIn = (schema: z.ZodType, thing: object, field: string) =>
  by(schema, `/${field}`, (size, fill) => ({ ...thing, [field]: fill.repeat(size) }));

/** Creates a case whose field is a text object with a text of the size. */
export const textIn = (schema: z.ZodType, thing: object, field: string, type = 'plain_text') =>
  by(schema, `/${field}/text`, (size, fill) => ({
    ...thing,
    [field]: { type, text: fill.repeat(size) },
  }));

/** Creates a case whose field is a URL of the size. */
export const urlIn = (schema: z.ZodType, thing: object, field: string) =>
  by(schema, `/${field}`, (size, fill) => ({
    ...thing,
    [field]: size === 0 ? '' : a.url(Math.max(size, 20), fill),
  }));

/** Creates a case whose field is a list of the size. */
export const listIn = (schema: z.ZodType, thing: object, field: string, item: unknown) =>
  by(schema, `/${field}`, (size) => ({ ...thing, [field]: a.times(size, item) }));

export const optionsIn = (schema: z.ZodType, type: string) =>
  by(schema, '/options', (size) => ({ type, options: a.options(size) }));

export const numberIn = (schema: z.ZodType, thing: object, field: string) =>
  by(schema, `/${field}`, (size) => ({ ...thing, [field]: size }));

export const inView = (field: string, build: Build): LimitCase => ({
  check: checkView,
  at: `/view/${field}`,
  build: (size, fill) => ({ ...a.aModal, [field.split('/')[0] ?? '']: build(size, fill) }),
});
