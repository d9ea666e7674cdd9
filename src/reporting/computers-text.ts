/** Describes computers for people. Their texts must be sanitized. */
import type { AnsweredComputer } from '../model/platform/computers.ts';
import { isPlatformTime, timestampText } from '../model/platform-time.ts';
import { textTable } from './text-table.ts';

/** A table of computers. */
export function describeComputers(computers: readonly AnsweredComputer[]): string {
  if (computers.length === 0) return 'There is no computer.';
  return textTable(
    ['id', 'name', 'provider', 'status', 'created', 'host'],
    computers.map((computer) => [
      computer.id,
      computer.name,
      textOf(computer.providerType),
      textOf(computer.status),
      timeOf(computer.createdAt),
      textOf(computer.hostname ?? computer.hostId),
    ]),
  );
}

/** All fields of one computer, one per line, then its steps. */
export function describeComputer(computer: AnsweredComputer): string {
  const { provisioningSteps, ...rest } = computer;
  const lines = Object.entries(rest).flatMap(([field, value]) => {
    const text = field === 'createdAt' ? timeOf(value) : textOf(value);
    return text === null ? [] : [[field, text] as const];
  });
  const margin = Math.max(...lines.map(([field]) => field.length));
  const attributes = lines.map(([field, text]) => `${field.padEnd(margin)}  ${text}`).join('\n');
  const steps = Array.isArray(provisioningSteps) ? provisioningSteps.filter(isObject) : [];
  return steps.length === 0 ? attributes : `${attributes}\n\n${describeSteps(steps)}`;
}

function describeSteps(steps: readonly Readonly<Record<string, unknown>>[]): string {
  return textTable(
    ['step', 'status', 'started', 'completed', 'error'],
    steps.map(({ id, name, status, startedAt, completedAt, error }) => [
      textOf(name ?? id),
      textOf(status),
      timeOf(startedAt),
      timeOf(completedAt),
      textOf(error),
    ]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A time as `2026-03-09 08:15:00 UTC`; other values stay as they are. */
function timeOf(value: unknown): string | null {
  if (!isPlatformTime(value)) return textOf(value);
  return timestampText(value)
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}
