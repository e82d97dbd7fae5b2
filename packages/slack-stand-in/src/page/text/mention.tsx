import { usePage } from '../state/page-context.ts';

type MentionProps = { type: 'person' | 'channel'; id: string; label?: string };

export function Mention({ type, id, label }: MentionProps) {
  const { me, findPerson, findChannel, navigate } = usePage();
  if (type === 'person') {
    const person = findPerson(id);
    const mine = id === me.id ? ' mention-me' : '';
    return <span class={`mention${mine}`}>@{person?.name ?? (label || id)}</span>;
  }
  const channel = findChannel(id);
  if (!channel) return <span class="mention">#{label || 'private-channel'}</span>;
  return (
    <button type="button" class="mention" onClick={() => navigate({ channel: id })}>
      #{channel.name}
    </button>
  );
}
