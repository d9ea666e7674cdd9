/** Writes times in the unit of the open point `time-unit`. */
import type { OpenPoints } from './open-points.ts';

/** A time of a computer or message, in the chosen unit; undefined stays undefined. */
export function timeIn(points: OpenPoints, milliseconds: number): number;
export function timeIn(points: OpenPoints, milliseconds: number | undefined): number | undefined;
export function timeIn(points: OpenPoints, milliseconds: number | undefined): number | undefined {
  if (milliseconds === undefined || points['time-unit'] === 'milliseconds') return milliseconds;
  return Math.floor(milliseconds / 1000);
}
