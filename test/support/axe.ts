import axe from 'axe-core';

/** The script of axe-core, which checks the accessibility of the page that runs it. */
export const AXE = axe.source;
