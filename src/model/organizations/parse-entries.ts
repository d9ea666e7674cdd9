/** Parses the entries of ORGANIZATIONS_FILE. */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { problemOfMixture } from '../secret-places.ts';
import { platformUrl } from '../settings.ts';
import { problemsOfSources, type SourceSettings } from '../source-settings.ts';
import { type KeyPlace, namePattern, type OrganizationEntry } from './organization-entry.ts';
import { organizationSettings, organizationVariables } from './organization-settings.ts';

/** What the entries are read with. */
export interface EntryRules {
  /** Path of the file; paths in it are relative to its folder. */
  readonly file: string;
  /** The variables that are set, for fields that an entry does not have. */
  readonly given: Readonly<Record<string, string | undefined>>;
  /** All known sources. */
  readonly sources: readonly SourceSettings[];
  /** Whether the command talks to the platform. */
  readonly needsPlatform: boolean;
  /** The variables that come from `.env`; all others come from the environment. */
  readonly ofFile: ReadonlySet<string>;
}

const ownFields = Object.keys(organizationVariables.shape).map((name) => name.toLowerCase());
const knownFields = ['name', 'api_base_url', 'api_key_file', 'api_key_env', 'org_id', ...ownFields];
// `z.record` would drop a field `__proto__` without a problem.
const fieldsSchema = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const textSchema = z.string().regex(/\S/);
const listSchema = z.array(textSchema);
const name = z.string().regex(namePattern);
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const mostOfId = 2_000;

/** Parses all entries. Adds a sentence to `problems` for each problem, by entry and field, without a secret. */
export function parseEntries(
  values: readonly unknown[],
  rules: EntryRules,
  problems: string[],
): readonly OrganizationEntry[] {
  const [names, folders] = [new Map<string, number>(), new Map<string, number>()];
  return values.flatMap((value, index) => {
    const found: string[] = [];
    const number = index + 1;
    const entry = parseEntry(value, rules, found);
    if (entry.name !== undefined) {
      const before = names.get(entry.name);
      if (before === undefined) names.set(entry.name, number);
      else found.push(`name: stands in entry ${before}, too; each name stands once`);
    }
    const folder = entry.parsed?.settings.sessionSpoolDirectory;
    if (folder !== undefined) {
      const before = folders.get(folder);
      if (before === undefined) folders.set(folder, number);
      else found.push(`session_spool_dir: entry ${before} has the same; each organization has its own`);
    }
    const label = entry.name === undefined ? `entry ${number}` : `entry ${number} (${entry.name})`;
    problems.push(...found.map((sentence) => `${label}: ${sentence}`));
    return entry.parsed === undefined ? [] : [entry.parsed];
  });
}

/** An entry; `name` is set as soon as it is a right one. */
interface ParsedEntry {
  readonly name?: string;
  readonly parsed?: OrganizationEntry;
}

function parseEntry(value: unknown, rules: EntryRules, problems: string[]): ParsedEntry {
  const entry = fieldsSchema.safeParse(value);
  if (!entry.success) {
    problems.push('expected fields such as "name: acme" below each other, got something else');
    return {};
  }
  const texts = textsIn(entry.data, problems);
  const given = (field: string) => texts.get(field);
  for (const field of ['name', 'api_base_url'])
    if (!Object.hasOwn(entry.data, field)) problems.push(`${field}: missing`);
  const own = name.safeParse(given('name'));
  if (!own.success && texts.has('name'))
    problems.push(`name: expected 1 to 63 of a-z 0-9 . _ -, got ${JSON.stringify(given('name'))}`);
  const baseUrl = platformUrl.safeParse(given('api_base_url'));
  if (!baseUrl.success && texts.has('api_base_url'))
    problems.push(...baseUrl.error.issues.map(({ message }) => `api_base_url: ${message}`));
  const key = keyPlaceIn(texts, rules, problems);
  const orgId = given('org_id');
  if (orgId !== undefined && (orgId.length > mostOfId || /[\x00-\x1f\x7f]/.test(orgId)))
    problems.push(
      'org_id: expected the id that the platform answers with, got a text with control characters or a longer one',
    );
  const settings = settingsIn(texts, rules, problems);
  const ownName = own.success ? { name: own.data } : {};
  if (!own.success || !baseUrl.success || key === undefined || settings === undefined) return ownName;
  return { ...ownName, parsed: { name: own.data, orgId, baseUrl: baseUrl.data, key, settings } };
}

/** The texts of the known fields. Adds a sentence for each other field, and for each value that is no text. */
function textsIn(entry: Readonly<Record<string, unknown>>, problems: string[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [field, value] of Object.entries(entry)) {
    if (field === 'api_key')
      problems.push(
        'api_key: the file holds no key; put the key into a file of its own and name that in api_key_file, or into a variable and name that in api_key_env',
      );
    else if (!knownFields.includes(field))
      problems.push(`${JSON.stringify(field)}: unknown field; the fields are ${knownFields.join(', ')}`);
    else {
      const text = textOf(field, value);
      if (text === undefined)
        problems.push(
          `${field}: expected a text${field === 'sources' ? ' or a list of texts' : ''}, got ${wordFor(value)}`,
        );
      else texts.set(field, text);
    }
  }
  return texts;
}

function textOf(field: string, value: unknown): string | undefined {
  const text = textSchema.safeParse(value);
  if (text.success) return text.data;
  const list = field === 'sources' ? listSchema.safeParse(value) : undefined;
  return list?.data?.join(',');
}

function wordFor(value: unknown): string {
  if (value === null || value === '') return 'nothing';
  if (typeof value === 'string') return 'white space';
  return Array.isArray(value) ? 'a list' : 'fields';
}

function keyPlaceIn(
  texts: ReadonlyMap<string, string>,
  { file, given, ofFile }: EntryRules,
  problems: string[],
): KeyPlace | undefined {
  const [path, variable] = [texts.get('api_key_file'), texts.get('api_key_env')];
  if (path !== undefined && variable !== undefined) {
    problems.push('api_key_file, api_key_env: both are set; set one of them');
    return undefined;
  }
  if (path !== undefined) return { file: resolve(dirname(file), path) };
  if (variable === undefined) {
    if (!problems.some((problem) => problem.startsWith('api_key')))
      problems.push(
        'api_key_file: missing; set it to a file that holds the key, or api_key_env to a variable',
      );
    return undefined;
  }
  if (variableName.test(variable)) {
    // The file names the hosts to which the key goes.
    const mixture =
      given[variable] === undefined ? undefined : problemOfMixture('ORGANIZATIONS_FILE', variable, ofFile);
    if (mixture !== undefined) problems.push(`api_key_env: ${mixture}`);
    return { variable };
  }
  // Without the value: the user may have put the key itself there.
  problems.push('api_key_env: expected the name of a variable such as ACME_KEY');
  return undefined;
}

function settingsIn(texts: ReadonlyMap<string, string>, rules: EntryRules, problems: string[]) {
  const own = ownFields.flatMap((field) => {
    const text = texts.get(field);
    return text === undefined ? [] : [[field.toUpperCase(), text] as const];
  });
  // Each organization has a folder of its own, so the variable cannot stand for it.
  const given = { ...rules.given, SESSION_SPOOL_DIR: undefined, ...Object.fromEntries(own) };
  const parsed = organizationVariables.safeParse(given);
  // Problems of the process's variables are told once, by their names.
  const isOwn = (variable: string) => texts.has(variable.toLowerCase());
  for (const { path, message } of parsed.error?.issues ?? []) {
    const variable = path.join('.');
    if (isOwn(variable)) problems.push(`${variable.toLowerCase()}: ${message}`);
  }
  for (const { variable, message } of problemsOfSources(given, rules.sources, [], rules.needsPlatform))
    if (variable !== 'SOURCES' || isOwn(variable)) problems.push(`${variable.toLowerCase()}: ${message}`);
  if (!parsed.success) return undefined;
  const { SESSION_SPOOL_DIR: folder, ...values } = parsed.data;
  const spool = folder === undefined ? {} : { SESSION_SPOOL_DIR: resolve(dirname(rules.file), folder) };
  return organizationSettings({ ...values, ...spool }, []);
}
