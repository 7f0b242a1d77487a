/** The nonce with which style elements pass the content security policy of this page. */
export const styleNonce: string =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Mantine's dialogs lock the page's scrolling with a style element of react-remove-scroll, which reads this name.
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
