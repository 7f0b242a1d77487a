import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface LinkAnchorBaseProps
  extends AnchorProps,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

const Base = (props: LinkAnchorBaseProps) => <Anchor {...props} />;

/** A link to a page, within text. */
export const LinkAnchor = createLink(Base);
