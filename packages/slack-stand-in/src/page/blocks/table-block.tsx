import { RichText } from '../text/rich-text.tsx';
import type { TableBlock } from './block-types.ts';

export function TableBlockView({ block }: { block: TableBlock }) {
  return (
    <div class="table-block">
      <table>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => {
                const align = block.column_settings?.[column]?.align ?? 'left';
                const content =
                  cell.type === 'rich_text' ? <RichText elements={cell.elements} /> : cell.text;
                const Cell = index === 0 ? 'th' : 'td';
                return (
                  <Cell key={column} class={`align-${align}`}>
                    {content}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
