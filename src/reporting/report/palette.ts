/** The colours of a report. A test checks their contrast: at least 4.5 to 1 for texts, 3 to 1 for drawings. */

/** Colours by use, as `#rrggbb`. */
export interface Palette {
  /** The background of the page. */
  readonly page: string;
  /** The background of cards. */
  readonly surface: string;
  readonly ink: string;
  readonly muted: string;
  /** Grid lines, and lines between rows. */
  readonly rule: string;
  readonly axis: string;
  readonly track: string;
  /** Colours of series, in order; the last one is for all others. */
  readonly drawn: readonly string[];
}

export const light: Palette = {
  page: '#f4f5f8',
  surface: '#ffffff',
  ink: '#141923',
  muted: '#586174',
  rule: '#e5e8ee',
  axis: '#aab1bf',
  track: '#eceef3',
  drawn: ['#3461e0', '#0b8a80', '#d1610f', '#8f4fd1', '#b07d0a', '#cf3f74', '#4b8127', '#74798a'],
};

export const dark: Palette = {
  page: '#0d1117',
  surface: '#161b24',
  ink: '#e9edf4',
  muted: '#9ba6b8',
  rule: '#262d39',
  axis: '#4c5666',
  track: '#232a36',
  drawn: ['#7ba0ff', '#35c2b2', '#ff9c55', '#c29bff', '#e3bb52', '#ff8bb0', '#98cc66', '#8d97a8'],
};

/** Number of colour steps of a heat map. */
export const heatSteps = 9;

/** Percentage of the first colour in the cell with the largest figure; with more, the figure would be unreadable. */
export const mostHeatPercent = 54;

/** The palette as declarations of CSS variables. */
export function variablesOf({ drawn, ...single }: Palette): string {
  const colors = [
    ...Object.entries(single),
    ...drawn.map((color, place): [string, string] => [`c${place + 1}`, color]),
  ];
  return colors.map(([name, color]) => `--${name}:${color}`).join(';');
}
