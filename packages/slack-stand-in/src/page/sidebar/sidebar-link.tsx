import type { ComponentChildren } from 'preact';
import { usePage } from '../state/page-context.ts';
import { writePlace } from '../state/place.ts';

type SidebarGroupProps = {
  title: string;
  action?: ComponentChildren;
  children: ComponentChildren;
};

export function SidebarGroup({ title, action, children }: SidebarGroupProps) {
  return (
    <section class="sidebar-group">
      <header>
        <h2>{title}</h2>
        {action}
      </header>
      {children}
    </section>
  );
}

type SidebarLinkProps = {
  to: string;
  isHere: boolean;
  unreadCount: number;
  icon: ComponentChildren;
  isDim?: boolean;
  children: ComponentChildren;
};

export function SidebarLink({ to, isHere, unreadCount, icon, isDim, children }: SidebarLinkProps) {
  const { me } = usePage();
  const classes = ['sidebar-link'];
  if (unreadCount > 0) classes.push('is-unread');
  if (isDim) classes.push('is-dim');
  return (
    <a
      class={classes.join(' ')}
      href={writePlace({ person: me.id, channel: to })}
      aria-current={isHere ? 'page' : undefined}
    >
      <span class="sidebar-icon" aria-hidden="true">
        {icon}
      </span>
      <span class="sidebar-name">{children}</span>
      {unreadCount > 0 && (
        <span class="badge" title={`${unreadCount} unread`}>
          {unreadCount > 99 ? '99+' : unreadCount}
        </span>
      )}
    </a>
  );
}
