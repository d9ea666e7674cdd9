/** A model with its tier; `weight` is how often it is used, relative to other models. */

export interface ModelVariant {
  readonly modelId: string;
  readonly tier: 'standard' | 'thinking';
  readonly weight: number;
  /** Standard Credits per raw token, relative to the cheapest model. */
  readonly price: number;
  /** Days from the organization's first day until the model appears; before that, the first model is used. */
  readonly appearsAfterDays: number;
}

export const modelVariants: readonly [ModelVariant, ...ModelVariant[]] = [
  { modelId: 'claude-sonnet-4-5', tier: 'standard', weight: 30, price: 1.2, appearsAfterDays: 0 },
  { modelId: 'claude-sonnet-4-5', tier: 'thinking', weight: 14, price: 1.2, appearsAfterDays: 0 },
  { modelId: 'claude-opus-4-5', tier: 'thinking', weight: 12, price: 2, appearsAfterDays: 0 },
  { modelId: 'claude-opus-4-5', tier: 'standard', weight: 8, price: 2, appearsAfterDays: 0 },
  { modelId: 'claude-haiku-4-5', tier: 'standard', weight: 10, price: 0.4, appearsAfterDays: 0 },
  { modelId: 'gpt-5.1-codex', tier: 'standard', weight: 9, price: 0.5, appearsAfterDays: 0 },
  { modelId: 'gpt-5.1-codex', tier: 'thinking', weight: 6, price: 0.5, appearsAfterDays: 0 },
  { modelId: 'gemini-3-pro', tier: 'thinking', weight: 4, price: 0.8, appearsAfterDays: 21 },
  { modelId: 'glm-4.6', tier: 'standard', weight: 3, price: 0.25, appearsAfterDays: 0 },
  { modelId: 'gpt-5.2', tier: 'thinking', weight: 4, price: 0.7, appearsAfterDays: 45 },
];

interface Weighted {
  readonly name: string;
  readonly weight: number;
}

const weighted = (weights: Readonly<Record<string, number>>): readonly Weighted[] =>
  Object.entries(weights).map(([name, weight]) => ({ name, weight }));

export const tools = weighted({
  Read: 30,
  Edit: 18,
  Execute: 16,
  Grep: 10,
  Glob: 5,
  LS: 5,
  Create: 4,
  TodoWrite: 4,
  ApplyPatch: 2,
  WebSearch: 1.2,
  FetchUrl: 1,
  Task: 0.9,
  Skill: 0.6,
  AskUser: 0.4,
  ExitSpecMode: 0.3,
  mcp__github__search_issues: 0.3,
  mcp__linear__get_issue: 0.3,
  GenerateAgent: 0.05,
});

/** Malformed tool names: the platform reports some, because it parses answers of models wrongly (platform-api.md §8). */
export const parsingArtifacts = [
  'Read</tool_name>\n<parameter name="file_path">',
  'Execute">\n<parameter name="command',
  '{"name": "Edit',
  'Grep\n\n',
  'functions.Read<|channel|>commentary',
  'TodoWrite"}]',
] as const;

/** MCP servers. Some names differ only in letter case (platform-api.md §8). */
export const mcpServers = weighted({
  github: 20,
  GitHub: 6,
  linear: 12,
  Linear: 5,
  slack: 7,
  Slack: 2,
  postgres: 6,
  sentry: 5,
  figma: 4,
  Notion: 3,
  'internal docs': 2,
});

export const skills = weighted({
  'code-review': 12,
  'write-tests': 9,
  'release-notes': 5,
  'database-migration': 4,
  'résumé-parser': 1,
  'incident/postmortem': 2,
  PDF: 1,
});

export const slashCommands = weighted({
  '/review': 12,
  '/compact': 10,
  '/model': 8,
  '/mcp': 4,
  '/init': 3,
  '/create-pr': 5,
  '/übersetzen': 0.5,
});

export interface Hook {
  readonly event: string;
  readonly matcher?: string;
  readonly command?: string;
  readonly weight: number;
}

const formatScript = `#!/usr/bin/env bash
set -euo pipefail
file="$(jq -r '.tool_input.file_path // empty')"
[[ -z "$file" ]] && exit 0
case "$file" in
  *.ts|*.tsx) npx prettier --write "$file" ;;
  *.py)       ruff format "$file" ;;
esac
printf 'formatted\\t%s\\n' "$file"`;

export const hooks: readonly Hook[] = [
  { event: 'PostToolUse', matcher: 'Edit|Create', command: formatScript, weight: 10 },
  { event: 'PostToolUse', matcher: 'Edit', command: formatScript, weight: 4 },
  { event: 'PostToolUse', matcher: 'Execute', weight: 3 },
  { event: 'PostToolUse', matcher: '*', command: 'tee -a ~/.agent/tools.log', weight: 3 },
  { event: 'Notification', command: `notify-send "Agent" "It's your turn"`, weight: 5 },
  { event: 'Stop', command: 'npm test --silent || true', weight: 4 },
  { event: 'SubagentStop', command: 'scripts/collect.sh', weight: 2 },
  { event: 'SessionEnd', matcher: '', command: 'python3 report.py\n', weight: 2 },
  { event: 'SessionEnd', weight: 1 },
];

export interface FileExtension {
  readonly extension: string;
  readonly language?: string;
  readonly weight: number;
}

export const fileExtensions: readonly FileExtension[] = [
  { extension: 'ts', language: 'TypeScript', weight: 24 },
  { extension: 'tsx', language: 'TypeScript', weight: 14 },
  { extension: 'py', language: 'Python', weight: 18 },
  { extension: 'go', language: 'Go', weight: 8 },
  { extension: 'java', language: 'Java', weight: 6 },
  { extension: 'cs', language: 'C#', weight: 4 },
  { extension: 'cpp', language: 'C++', weight: 2 },
  { extension: 'h', language: 'C++', weight: 1 },
  { extension: 'rs', language: 'Rust', weight: 3 },
  { extension: 'sql', language: 'SQL', weight: 4 },
  { extension: 'md', language: 'Markdown', weight: 8 },
  { extension: 'json', weight: 5 },
  { extension: 'yaml', weight: 3 },
  { extension: 'svg', weight: 1 },
];

/** Client types; the index of each is the number of its bit in `UserDay.clients`. */
export const clientTypes = ['terminal-ui', 'web', 'non-interactive-cli'] as const;

export const delegationLevels = ['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'] as const;
