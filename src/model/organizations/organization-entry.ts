/** An organization of ORGANIZATIONS_FILE. */
import type { OrganizationSettings } from './organization-settings.ts';

/** Where the key of an organization is: in a file (absolute path), or in a variable of the environment. */
export type KeyPlace = { readonly file: string } | { readonly variable: string };

/** An entry of the file. It holds no key: `readKey` reads that anew for each try. */
export interface OrganizationEntry {
  /** Unique in the file: 1 to 63 of a-z 0-9 . _ - */
  readonly name: string;
  /** The id that the platform must answer with; undefined accepts any. */
  readonly orgId: string | undefined;
  readonly baseUrl: URL;
  readonly key: KeyPlace;
  /** Fields of the entry, and variables for those that it does not have. */
  readonly settings: OrganizationSettings;
}

/** The names of organizations: unique, short, and harmless in a command line, a path and a log. */
export const namePattern = /^[a-z0-9._-]{1,63}$/;
