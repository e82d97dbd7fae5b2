import type { SharedFileEntry } from '../../../page-server/page-entry.ts';

/** Names and sizes of shared files. Their content is behind the app's token. */
export function SharedFiles({ files }: { files: readonly SharedFileEntry[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="shared-files">
      {files.map(({ title, name, bytes }, index) => (
        <li key={index}>
          📄 <strong>{title}</strong> {name} ({Math.ceil(bytes / 1024).toLocaleString('en')} KB)
        </li>
      ))}
    </ul>
  );
}
