import type { ReactNode } from 'react';
import { LinkAnchor } from './buttons.tsx';

/** What the audit log is filtered by, as its address has it. */
export type CallsFilter = Readonly<Record<string, string>>;

interface CallsLinkProps {
  /** Undefined where the audit log cannot be searched for the calls. */
  readonly calls: CallsFilter | undefined;
  readonly children: ReactNode;
}

/** A figure that leads to the calls that it counts. */
export const CallsLink = ({ calls, children }: CallsLinkProps) =>
  calls ? (
    <LinkAnchor to="/admin/audit" search={calls as never} inherit c="inherit" underline="always">
      {children}
    </LinkAnchor>
  ) : (
    children
  );
