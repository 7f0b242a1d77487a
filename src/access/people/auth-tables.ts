/** The names under which better-auth finds its tables and columns (migration 0012-people). */
const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' };

export const AUTH_TABLES = {
  user: { modelName: 'people_users', fields: { ...TIMES, emailVerified: 'email_verified' } },
  session: {
    modelName: 'people_sessions',
    fields: {
      ...TIMES,
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
  },
  account: {
    modelName: 'people_accounts',
    fields: {
      ...TIMES,
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
    },
  },
  verification: {
    modelName: 'people_verifications',
    fields: { ...TIMES, expiresAt: 'expires_at' },
  },
};
