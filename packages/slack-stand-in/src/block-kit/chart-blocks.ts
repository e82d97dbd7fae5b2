import { z } from 'zod';
import { identifiable } from './element-fields.ts';
import { listOf, textField } from './fields.ts';
import { limits } from './limits.ts';

const chartLimits = limits.data_visualization;

const pie = z.strictObject({
  type: z.literal('pie'),
  segments: listOf(
    z.strictObject({
      label: textField({ min: 1, max: chartLimits.segment.label.max_length }),
      value: z.number().gt(chartLimits.segment.value.exclusive_min),
    }),
    { min: chartLimits.segments.min_items, max: chartLimits.segments.max_items },
  ),
});

const point = z.strictObject({
  label: textField({ min: 1, max: chartLimits.point_label.max_length }),
  value: z.number(),
});

const axisLabel = textField({ max: chartLimits.axis_label.max_length }).optional();

const axes = {
  series: listOf(
    z.strictObject({
      name: textField({ min: 1, max: chartLimits.series_name.max_length }),
      data: listOf(point, { min: chartLimits.data.min_items, max: chartLimits.data.max_items }),
    }),
    { min: chartLimits.series.min_items, max: chartLimits.series.max_items },
  ),
  axis_config: z.strictObject({
    categories: listOf(textField({ min: 1, max: chartLimits.category_label.max_length }), {
      min: chartLimits.categories.min_items,
      max: chartLimits.categories.max_items,
    }),
    x_label: axisLabel,
    y_label: axisLabel,
  }),
};

export const dataVisualizationBlock = z.strictObject({
  type: z.literal('data_visualization'),
  ...identifiable,
  title: textField({ min: 1, max: chartLimits.title.max_length }),
  chart: z.discriminatedUnion('type', [
    pie,
    z.strictObject({ type: z.literal('line'), ...axes }),
    z.strictObject({ type: z.literal('bar'), ...axes }),
    z.strictObject({ type: z.literal('area'), ...axes }),
  ]),
});
