/** The picture of `icon.svg`. */
export const Logo = () => (
  <svg width={28} height={28} viewBox="0 0 32 32" fill="none" strokeWidth={3} aria-hidden>
    <rect width={32} height={32} rx={8} fill="#0f6b5b" />
    <path d="M8 24V14.5a8 8 0 0 1 16 0V24" stroke="#fff" strokeLinecap="round" />
    <path d="M16 24v-8.5" stroke="#80d1b8" strokeLinecap="round" />
  </svg>
);
