import { z } from 'zod';
import { blockPart } from '../elements/element-fields.ts';
import { listOf, part, textField } from '../fields.ts';
import { limits } from '../limits.ts';

const chartLimits = limits.data_visualization;

const pie = part('pie', {
  segments: listOf(
    z.strictObject({
      label: textField({ min_length: 1, ...chartLimits.segment.label }),
      value: z.number().gt(chartLimits.segment.value.exclusive_min),
    }),
    chartLimits.segments,
  ),
});

const point = z.strictObject({
  label: textField({ min_length: 1, ...chartLimits.point_label }),
  value: z.number(),
});

const category = textField({ min_length: 1, ...chartLimits.category_label });
const axisLabel = textField(chartLimits.axis_label).optional();

const axes = {
  series: listOf(
    z.strictObject({
      name: textField({ min_length: 1, ...chartLimits.series_name }),
      data: listOf(point, chartLimits.data),
    }),
    chartLimits.series,
  ),
  axis_config: z.strictObject({
    categories: listOf(category, chartLimits.categories),
    x_label: axisLabel,
    y_label: axisLabel,
  }),
};

export const dataVisualizationBlock = blockPart('data_visualization', {
  title: textField({ min_length: 1, ...chartLimits.title }),
  chart: z.discriminatedUnion('type', [
    pie,
    part('line', axes),
    part('bar', axes),
    part('area', axes),
  ]),
});
