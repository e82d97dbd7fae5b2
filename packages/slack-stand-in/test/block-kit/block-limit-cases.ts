import { blockOf } from '../../src/block-kit/surfaces.ts';
import * as a from './fragments.ts';
import { by, type LimitCase, listIn, numberIn, stringIn, textIn } from './limit-case.ts';

const { message, modal } = blockOf;
const alert = { type: 'alert', text: a.plain() };
const actions = { type: 'actions' };
const context = { type: 'context' };
const header = { type: 'header' };
const markdown = { type: 'markdown' };
const section = { type: 'section' };
const carousel = { type: 'carousel' };
const contextActions = { type: 'context_actions' };
const iconButton = { type: 'icon_button', icon: 'trash', text: a.plain() };
const pie = (at: string, segments: (size: number, fill: string) => unknown) =>
  by(message, `/chart/segments${at}`, (size, fill) =>
    a.chart({ type: 'pie', segments: segments(size, fill) }),
  );
const line = (at: string, part: (size: number, fill: string) => object) =>
  by(message, `/chart/${at}`, (size, fill) => a.chart({ ...a.aLineChart, ...part(size, fill) }));
const series = (at: string, part: (size: number, fill: string) => object) =>
  line(`series/0/${at}`, (size, fill) => ({ series: [{ ...a.aSeries, ...part(size, fill) }] }));
const axes = (at: string, part: (size: number, fill: string) => object) =>
  line(`axis_config/${at}`, (size, fill) => ({
    axis_config: { categories: ['x'], ...part(size, fill) },
  }));
const point = { label: 'x', value: 1 };
const rows = (count: number) => a.times(count, [a.cell()]);
const dataTable = (at: string, build: (size: number, fill: string) => unknown[]) =>
  by(message, at, (size, fill) => ({ ...a.aDataTable, rows: build(size, fill) }));

/** The numeric cases about blocks in the shared list of invalid payloads, by ID. */
export const blockLimitCases: Record<string, LimitCase> = {
  'actions-too-many-elements': listIn(message, actions, 'elements', a.aButton),
  'context-too-many-elements': listIn(message, context, 'elements', a.mrkdwn()),
  'header-text-too-long': textIn(message, header, 'text'),
  'input-label-too-long': textIn(message, a.anInput, 'label'),
  'input-hint-too-long': textIn(message, a.anInput, 'hint'),
  'markdown-empty': stringIn(message, markdown, 'text'),
  'markdown-too-long': stringIn(message, markdown, 'text'),
  'section-text-too-long': textIn(message, section, 'text', 'mrkdwn'),
  'section-too-many-fields': listIn(message, section, 'fields', a.mrkdwn()),
  'section-field-too-long': by(message, '/fields/0/text', (n, fill) => ({
    ...section,
    fields: [a.mrkdwn(fill.repeat(n))],
  })),
  'block-id-too-long': stringIn(message, a.aSection, 'block_id'),
  'video-alt-text-empty': stringIn(message, a.aVideo, 'alt_text'),
  'video-alt-text-too-long': stringIn(message, a.aVideo, 'alt_text'),
  'video-title-too-long': textIn(message, a.aVideo, 'title'),
  'video-author-name-too-long': stringIn(message, a.aVideo, 'author_name'),
  'video-description-too-long': textIn(message, a.aVideo, 'description'),
  'video-provider-name-too-long': stringIn(message, a.aVideo, 'provider_name'),
  'alert-text-too-long': textIn(modal, alert, 'text'),
  'card-title-too-long': textIn(message, a.aCard, 'title', 'mrkdwn'),
  'card-subtitle-too-long': textIn(message, a.aCard, 'subtitle', 'mrkdwn'),
  'card-body-too-long': textIn(message, a.aCard, 'body', 'mrkdwn'),
  'card-subtext-too-long': textIn(message, a.aCard, 'subtext', 'mrkdwn'),
  'card-too-many-actions': listIn(message, a.aCard, 'actions', a.aButton),
  'carousel-empty': listIn(message, carousel, 'elements', a.aCard),
  'carousel-too-many-cards': listIn(message, carousel, 'elements', a.aCard),
  'container-title-too-long': textIn(message, a.aContainer, 'title'),
  'container-subtitle-too-long': textIn(message, a.aContainer, 'subtitle'),
  'container-too-many-child-blocks': listIn(message, a.aContainer, 'child_blocks', a.aSection),
  'context-actions-too-many-elements': listIn(message, contextActions, 'elements', iconButton),
  'table-too-many-rows': listIn(message, { type: 'table' }, 'rows', [a.cell()]),
  'data-table-too-few-rows': dataTable('/rows', rows),
  'data-table-too-many-rows': dataTable('/rows', rows),
  'data-table-too-few-columns': dataTable('/rows/0', (n) => a.times(2, a.times(n, a.cell()))),
  'data-table-too-many-columns': dataTable('/rows/0', (n) => a.times(2, a.times(n, a.cell()))),
  'data-table-cell-text-empty': dataTable('/rows/1/0/text', (n, fill) => [
    [a.cell()],
    [a.cell(fill.repeat(n))],
  ]),
  'data-table-content-too-long': dataTable('/rows', (n, fill) => [
    [a.cell()],
    [a.cell(fill.repeat(n - 1))],
  ]),
  'data-table-page-size-too-small': numberIn(message, a.aDataTable, 'page_size'),
  'data-table-page-size-too-large': numberIn(message, a.aDataTable, 'page_size'),
  'data-visualization-title-too-long': stringIn(message, a.chart(a.aLineChart), 'title'),
  'pie-chart-empty': pie('', (n) => a.times(n, point)),
  'pie-chart-too-many-segments': pie('', (n) => a.times(n, point)),
  'chart-segment-label-too-long': pie('/0/label', (n, fill) => [
    { label: fill.repeat(n), value: 1 },
  ]),
  'chart-segment-value-not-positive': pie('/0/value', (n) => [{ label: 'x', value: n }]),
  'chart-series-empty': line('series', (n) => ({ series: a.times(n, a.aSeries) })),
  'chart-too-many-series': line('series', (n) => ({ series: a.times(n, a.aSeries) })),
  'data-series-name-too-long': series('name', (n, fill) => ({ name: fill.repeat(n) })),
  'data-series-empty': series('data', (n) => ({ data: a.times(n, point) })),
  'data-series-too-many-points': series('data', (n) => ({ data: a.times(n, point) })),
  'data-point-label-too-long': series('data/0/label', (n, fill) => ({
    data: [{ label: fill.repeat(n), value: 1 }],
  })),
  'axis-categories-empty': axes('categories', (n) => ({ categories: a.times(n, 'x') })),
  'axis-too-many-categories': axes('categories', (n) => ({ categories: a.times(n, 'x') })),
  'axis-category-label-too-long': axes('categories/0', (n, fill) => ({
    categories: [fill.repeat(n)],
  })),
  'axis-label-too-long': axes('x_label', (n, fill) => ({ x_label: fill.repeat(n) })),
};
