import { serveCompanies } from './serve-companies.ts';

serveCompanies();
