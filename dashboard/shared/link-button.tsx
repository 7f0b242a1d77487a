import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface LinkButtonBaseProps
  extends ButtonProps,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

const Base = (props: LinkButtonBaseProps) => <Button component="a" {...props} />;

/** A link to a page that looks like a button. */
export const LinkButton = createLink(Base);
